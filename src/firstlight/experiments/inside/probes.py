"""Questions put to the model itself, at its first step, in a copy that then ends: what depends on what?

- does an example's output depend on another example's input?
- does the output at a position depend on later positions, when the task is to predict the next one?
- does a hand-written backward take account of the gradient it is given?
"""

import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import torch

from firstlight.experiments.inside.loss_steering import Steered
from firstlight.experiments.inside.steering import changed
from firstlight.observe.inside import reading, sites
from firstlight.records.observed import CustomGradient, Dependence
from firstlight.records.places import Site

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Call

LEAST_ROWS = 3
LEAST_LENGTH = 4
NEXT_TOKEN = 0.95
"""Share of targets equal to the next input for the task to count as predicting it."""


class Probe:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self.call: Call | None = None
        self.site: Site | None = None
        self.target: torch.Tensor | None = None
        self.functions: dict[type, tuple[tuple[Any, ...], Site | None]] = {}

    def model_returned(self, call: "Call") -> None:
        if call.training and self.call is None:
            self.call, self.site = call, sites.caller()

    def loss_called(self, _name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
        target = args[1] if len(args) > 1 else kwargs.get("target")
        if self.target is None and isinstance(target, torch.Tensor):
            self.target = target.detach().clone()
        return args, kwargs

    def ask(self, *_: Any) -> None:
        """At the first backward everything is known; this copy of the program has then done its work."""
        try:
            for gradient in self._gradients():
                self.observer.emit(gradient)
            for dependence in self._dependences():
                self.observer.emit(dependence)
        except Exception as error:  # noqa: BLE001  # a model that cannot be called again is not probed
            self.observer.unseen("probes", f"{type(error).__name__}: {error}")
        os._exit(0)

    def _dependences(self) -> Iterator[Dependence]:
        call = self.call
        if call is None:
            return
        batch = next(reading.tensors_in(self.observer.last_batch[1]), None)
        rows = len(batch) if batch is not None and batch.ndim else 0
        call.module.eval()
        with torch.enable_grad():
            output, leaves = _run(call)
        if output is None or not leaves:
            return
        if rows >= LEAST_ROWS and len(output) == rows and not (output.ndim > 1 and output.shape[1] == rows):
            yield self._between_examples(output, leaves, rows)
        ids = next((t for t in call.inputs if not t.is_floating_point() and t.ndim == 2), None)
        if ids is not None and ids.shape[1] >= LEAST_LENGTH and self._predicts_next(ids):
            yield from self._from_the_future(output, leaves, ids)

    def _between_examples(self, output: torch.Tensor, leaves: list[torch.Tensor], rows: int) -> Dependence:
        row = rows // 2
        found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            output[row].sum(), leaves, allow_unused=True, retain_graph=True
        )
        touched = torch.zeros(rows, dtype=torch.bool)
        for gradient in found:
            if gradient is not None and len(gradient) == rows:
                touched |= gradient.reshape(rows, -1).abs().sum(1).cpu() > 0
        others = int(touched.sum()) - int(touched[row])
        return Dependence(step=0, kind="examples", site=self.site, own=bool(touched[row]), others=others, of=rows - 1)

    def _predicts_next(self, ids: torch.Tensor) -> bool:
        target = self.target
        if target is None or target.is_floating_point():
            return False
        rows, length = ids.shape
        if target.numel() == rows * length:
            return _share(target.reshape(rows, length)[:, :-1], ids[:, 1:]) > NEXT_TOKEN
        if target.numel() == rows * (length - 1):
            return _share(target.reshape(rows, length - 1), ids[:, 1:]) > NEXT_TOKEN
        return False

    def _from_the_future(
        self, output: torch.Tensor, leaves: list[torch.Tensor], ids: torch.Tensor
    ) -> Iterator[Dependence]:
        rows, length = ids.shape
        if output.numel() % (rows * length):
            return
        by_position = output.reshape(rows, length, -1)
        position = length // 2
        found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            by_position[:, position].sum(), leaves, allow_unused=True, retain_graph=True
        )
        later = own = 0
        for gradient in found:
            if gradient is not None and gradient.shape[:2] == (rows, length):
                touched = gradient.abs().sum((0, *range(2, gradient.ndim))) > 0
                later, own = (
                    max(later, int(touched[position + 1 :].sum())),
                    max(own, int(touched[: position + 1].sum())),
                )
        yield Dependence(step=0, kind="future", site=self.site, own=own > 0, others=later, of=length - position - 1)

    def _gradients(self) -> Iterator[CustomGradient]:
        """A gradient is linear in the one it is given, whatever else a hand-written backward does on purpose."""
        for kind, (args, site) in self.functions.items():
            given = [changed(item, lambda t: t.detach().clone()) for item in args]
            for item in given:
                if isinstance(item, torch.Tensor) and item.is_floating_point():
                    item.requires_grad_(True)
            leaves = [item for item in given if isinstance(item, torch.Tensor) and item.requires_grad]
            with torch.enable_grad():
                once, twice = (_pulled(kind, given, leaves, factor) for factor in (1.0, 2.0))
            if once > 0:
                yield CustomGradient(step=0, name=kind.__name__, site=site, ratio=twice / once)


def _pulled(kind: Any, given: list[Any], leaves: list[torch.Tensor], factor: float) -> float:
    outputs = [t for t in reading.tensors_in(kind.apply(*given)) if t.requires_grad]
    generator = torch.Generator().manual_seed(0)
    weights = [(factor * torch.randn(t.shape, generator=generator, dtype=torch.float32)).to(t) for t in outputs]
    found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(outputs, leaves, weights, allow_unused=True)
    return reading.length(reading.norms([gradient for gradient in found if gradient is not None]))


def _share(left: torch.Tensor, right: torch.Tensor) -> float:
    return float((left == right).float().mean().item()) if left.numel() else 0.0


def _run(call: "Call") -> tuple[torch.Tensor | None, list[torch.Tensor]]:
    """The model once more on its first inputs, with leaves at its floating-point inputs and its embeddings."""
    leaves: list[torch.Tensor] = []

    def leaf(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point():
            return tensor
        leaves.append(tensor.detach().clone().requires_grad_(True))
        return leaves[-1]

    def embedded(_module: torch.nn.Module, _given: Any, made: torch.Tensor) -> torch.Tensor:
        leaves.append(made.detach().clone().requires_grad_(True))
        return leaves[-1]

    kept = [m.register_forward_hook(embedded) for m in call.module.modules() if isinstance(m, torch.nn.Embedding)]
    output = call.module(*changed(call.arguments, leaf), **changed(call.keywords, leaf))
    for handle in kept:
        handle.remove()
    floats = [t for t in reading.tensors_in(output) if t.is_floating_point() and t.requires_grad and t.ndim]
    return (floats[0] if floats else None), leaves


def begin(observer: "Observer", _value: str) -> None:
    probe = Probe(observer)
    function: Any = torch.autograd.Function
    original = function.apply.__func__

    def apply(cls: type, *args: Any, **kwargs: Any) -> Any:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None) or "<unknown>"
        if cls not in probe.functions and sites.is_users(file):
            probe.functions[cls] = (args, sites.caller(2))
        return original(cls, *args, **kwargs)

    function.apply = classmethod(apply)
    Steered(probe.loss_called, ("cross_entropy", "nll_loss")).__enter__()  # type: ignore[no-untyped-call]
    observer.moments.model_returned.append(probe.model_returned)
    observer.moments.backward_begins.insert(0, probe.ask)
