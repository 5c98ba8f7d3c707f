"""Shapes through the model: every leaf module's call in order, and every operation that stretched both of its sides."""

import time
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside import reading, sites
from firstlight.records.declared import ShapeTrace
from firstlight.records.declared.model import Stretch, TracedCall

MOST_CALLS = 120
MOST_STRETCHES = 12
ELEMENTWISE = ("add", "sub", "mul", "div", "true_divide", "pow", "maximum", "minimum", "where", "rsub", "__rsub__")


def tracing(bench: Bench) -> None:
    model = bench.model()
    batch = bench.batch()
    tracer = _Tracer(model, batch.examples or -1)
    with tracer, torch.no_grad():
        bench.passed(model, batch)
    tracer.remove()
    leaves = [name for name, module in model.named_modules() if next(module.children(), None) is None and name]
    called = [call.name for call in tracer.calls]
    holds = {name for name, p in model.named_parameters() if p.requires_grad}
    never = [name for name in leaves if name not in called and any(own.startswith(f"{name}.") for own in holds)]
    bench.emit(
        ShapeTrace(
            model=type(model).__name__,
            calls=tuple(tracer.calls[:MOST_CALLS]),
            calls_in_all=len(tracer.calls),
            never_called=tuple(never[:MOST_STRETCHES]),
            called_again=tuple(sorted({name for name in called if called.count(name) > 1})[:MOST_STRETCHES]),
            stretches=tuple(tracer.stretches[:MOST_STRETCHES]),
            site=line_of(type(model)),
        )
    )


class _Tracer(TorchFunctionMode):
    def __init__(self, model: torch.nn.Module, rows: int) -> None:
        super().__init__()
        self.calls: list[TracedCall] = []
        self.stretches: list[Stretch] = []
        self._rows = rows
        self._names = {id(module): name or type(module).__name__ for name, module in model.named_modules()}
        self._stack: list[tuple[str, float]] = []
        self._hooks: list[Any] = []
        for module in model.modules():
            self._hooks.append(module.register_forward_pre_hook(self._enter))
            self._hooks.append(module.register_forward_hook(self._leave))

    def remove(self) -> None:
        for hook in self._hooks:
            hook.remove()

    def _enter(self, module: torch.nn.Module, _given: Any) -> None:
        self._stack.append((self._names[id(module)], time.perf_counter()))

    def _leave(self, module: torch.nn.Module, given: Any, made: Any) -> None:
        name, begun = self._stack.pop()
        if next(module.children(), None) is not None:
            return
        outputs = list(reading.tensors_in(made))
        self.calls.append(
            TracedCall(
                name=name,
                kind=type(module).__name__,
                given=tuple(tuple(t.shape) for t in reading.tensors_in(given)),
                gave=tuple(tuple(t.shape) for t in outputs),
                dtype=str(outputs[0].dtype).removeprefix("torch.") if outputs else "",
                parameters=sum(p.numel() for p in module.parameters()),
                microseconds=round(1e6 * (time.perf_counter() - begun), 1),
            )
        )

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "").strip("_")
        tensors = [item for item in args if isinstance(item, torch.Tensor)]
        if name in ELEMENTWISE and len(tensors) == 2 and isinstance(made, torch.Tensor):
            left, right, result = (tuple(t.shape) for t in (*tensors, made))
            if made.numel() > max(t.numel() for t in tensors) and left and right and len(left) != len(right):
                self.stretches.append(
                    Stretch(
                        operation=name,
                        left=left,
                        right=right,
                        result=result,
                        module=self._stack[-1][0] if self._stack else "",
                        over_batch=result.count(self._rows) > 1 and self._rows > 1,
                        site=sites.caller(2),
                    )
                )
        return made
