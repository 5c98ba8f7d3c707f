"""The same thing twice: in eval mode an output is the same again, and a seed makes a training repeatable."""

import itertools
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.experiments.declared.fitting import step
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside import reading
from firstlight.observe.inside.taps.handlers import argument
from firstlight.records.declared import Repeat

STEPS = 12
LOW = (torch.float16, torch.bfloat16)
MOST_MODULES = 3
SAMPLING = ("normal", "normal_", "randn", "randn_like", "rand", "rand_like", "bernoulli", "multinomial", "randint")
"""Functions that draw random numbers without dropping anything."""


def repeating(bench: Bench) -> None:
    batch = bench.batch()
    model = bench.model().eval()
    draws = _Draws(model)
    with draws:
        one, first = _passed(bench, model, batch)
    other, second = _passed(bench, model, batch)
    spread = max((float(t.float().std()) if t.numel() > 1 else abs(float(t)) for t in one), default=0.0)
    difference = max((float((a - b).abs().max()) for a, b in zip(one, other, strict=False) if a.numel()), default=0.0)
    differing = [name for name in first if name in second and not torch.equal(first[name], second[name])]
    index, relative, steps = _trained_twice(bench)
    bench.emit(
        Repeat(
            eval_difference=0.0 if draws.outside else difference / spread if spread else difference,
            low_precision=any(t.dtype in LOW for t in one),
            losses=steps,
            first_difference=index,
            difference=relative,
            random_modules=tuple(differing[:MOST_MODULES]),
            sampled=() if draws.drops else tuple(draws.sampled),
            site=line_of(type(model)),
        )
    )


class _Draws(TorchFunctionMode):
    """Which random numbers a pass draws: samples, or a dropout's; and whether a `step` draws some besides the model."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.sampled: dict[str, None] = {}
        self.drops = self.outside = self._inside = False
        model.register_forward_pre_hook(lambda *_: setattr(self, "_inside", True))
        model.register_forward_hook(lambda *_: setattr(self, "_inside", False))

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given, name = kwargs or {}, getattr(func, "__name__", "")
        if name in SAMPLING:
            self.sampled[name] = None
            self.outside |= not self._inside
        elif "dropout" in name:
            self.drops |= bool(argument(args, given, 2, "train", given.get("training", False)))
        elif name == "scaled_dot_product_attention":
            self.drops |= bool(argument(args, given, 4, "dropout_p", 0.0))
        return func(*args, **given)


def _passed(bench: Bench, model: torch.nn.Module, batch: Batch) -> tuple[list[torch.Tensor], dict[str, torch.Tensor]]:
    """The floating-point outputs, and those of every leaf module in the order of their calls."""
    seen: dict[str, torch.Tensor] = {}
    names = {id(module): name for name, module in model.named_modules()}

    def keep(module: torch.nn.Module, _given: object, made: object) -> None:
        tensor = next(reading.tensors_in(made), None)
        if tensor is not None:
            seen.setdefault(names[id(module)], tensor.detach().clone())

    leaves = [module for module in model.modules() if next(module.children(), None) is None]
    hooks = [module.register_forward_hook(keep) for module in leaves]
    with torch.no_grad():
        made = bench.passed(model, batch)
    for hook in hooks:
        hook.remove()
    return [t.detach() for t in reading.tensors_in(made) if t.is_floating_point()], seen


def _trained_twice(bench: Bench) -> tuple[int | None, float, int]:
    if bench.experiment.optimizer is None or not bench.has_loss:
        return None, 0.0, 0
    runs = [_losses(bench) for _ in range(2)]
    for index, (one, other) in enumerate(zip(*runs, strict=True)):
        if one != other and not (one != one and other != other):  # NaN twice is the same twice
            return index, abs(one - other) / max(abs(one), abs(other)), STEPS
    return None, 0.0, STEPS


def _losses(bench: Bench) -> list[float]:
    model = bench.model()
    optimizer = bench.optimizer(model)
    batches = itertools.islice(itertools.cycle(bench.batches(STEPS)), STEPS)
    bench.seed()
    return [step(bench, model, optimizer, batch) for batch in batches]
