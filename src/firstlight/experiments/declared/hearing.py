"""Which of torch's loss functions an experiment really calls, with what, and what they gave."""

from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.declared.bench import Batch, Bench
from firstlight.observe.inside.taps.handlers import argument
from firstlight.observe.inside.taps.losses import FUNCTIONS

SAME = 1e-5
"""Relative distance within which the whole loss counts as the one function's result."""


@dataclass(frozen=True)
class LossCall:
    function: Any
    name: str
    prediction: torch.Tensor
    target: torch.Tensor
    options: dict[str, Any]
    """The rest of the call's arguments, by name."""
    value: torch.Tensor

    def again(self, prediction: torch.Tensor, target: torch.Tensor | None = None) -> torch.Tensor:
        """The same function, options and all, on another prediction."""
        value = self.function(prediction, self.target if target is None else target, **self.options)
        return value if isinstance(value, torch.Tensor) else torch.as_tensor(value)


@dataclass
class Heard:
    """One computation of the loss."""

    total: torch.Tensor
    calls: list[LossCall] = field(default_factory=list)

    @property
    def main(self) -> LossCall | None:
        """The one call whose result is the whole loss, up to its sign."""
        if len(self.calls) != 1 or self.calls[0].value.numel() != 1:
            return None
        whole, part = abs(float(self.total.detach())), abs(float(self.calls[0].value.detach()))
        return self.calls[0] if abs(whole - part) <= SAME * max(whole, part, SAME) else None


class _Listener(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[LossCall] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        value = func(*args, **given)
        name = getattr(func, "__name__", "")
        if name in FUNCTIONS:
            self._keep(func, name, (args, given), value)
        return value

    def _keep(self, func: Any, name: str, called: tuple[Any, Any], value: Any) -> None:
        args, given = called
        prediction, target = argument(args, given, 0, "input"), argument(args, given, 1, "target")
        if not (isinstance(prediction, torch.Tensor) and isinstance(target, torch.Tensor)):
            return
        if len(args) > 2 or not isinstance(value, torch.Tensor):
            return
        options = {key: item for key, item in given.items() if key not in ("input", "target")}
        self.calls.append(LossCall(func, name, prediction.detach(), target.detach(), options, value.detach()))


def hear(bench: Bench, model: torch.nn.Module, batch: Batch) -> Heard:
    """Computes the loss and says which functions made it."""
    listener = _Listener()
    with listener:
        total = bench.loss(model, batch)
    return Heard(total, listener.calls)
