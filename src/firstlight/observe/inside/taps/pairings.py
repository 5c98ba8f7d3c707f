"""Element-wise operations that silently pair every example with every other: (N,) against (N, 1)."""

import weakref
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.taps.handlers import Handlers, argument
from firstlight.records.training import Pairing

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.backward import Walked

DIFFERENCES = ("sub", "__sub__", "__rsub__", "rsub", "subtract")
COMPARISONS = ("eq", "__eq__", "ne", "__ne__", "gt", "lt", "ge", "le", "logical_xor", "isclose")
REDUCTIONS = ("mean", "sum", "nanmean", "count_nonzero")


class Pairings:
    """Follows a paired result until it is reduced to one number: only then was no pairing meant."""

    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self._open: dict[int, tuple[weakref.ref[torch.Tensor], Pairing]] = {}

    def paired(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        left, right = argument(args, kwargs, 0, "input"), argument(args, kwargs, 1, "other")
        if not (
            isinstance(left, torch.Tensor) and isinstance(right, torch.Tensor) and isinstance(result, torch.Tensor)
        ):
            return
        if not _pairs(left, right) or left.data_ptr() == right.data_ptr():
            return
        one_sided = left.requires_grad != right.requires_grad
        if name in DIFFERENCES and not one_sided:
            return
        record = Pairing(
            step=self.observer.step,
            rank=rank(),
            operation=name.strip("_"),
            site=sites.caller(2),
            left=tuple(left.shape),
            right=tuple(right.shape),
            result=tuple(result.shape),
            differentiable=name in DIFFERENCES,
        )
        self._follow(result, record)

    def _follow(self, result: torch.Tensor, record: Pairing) -> None:
        if len(self._open) > 64:
            self._open.clear()
        self._open[id(result)] = (weakref.ref(result), record)

    def _find(self, tensor: Any) -> Pairing | None:
        entry = self._open.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None

    def carried(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Whatever is made of it and has its shape is followed in its place; a single number ends it."""
        if not self._open or not isinstance(result, torch.Tensor):
            return
        record = next((found for item in (*args, *kwargs.values()) if (found := self._find(item)) is not None), None)
        if record is None:
            return
        if tuple(result.shape) == record.result:
            self._follow(result, record)
        elif result.numel() == 1 and name in REDUCTIONS:
            self._open.clear()
            self.observer.emit(record)


def _pairs(left: torch.Tensor, right: torch.Tensor) -> bool:
    """(N,) with (N, 1), either way round, more than one example."""
    for flat, column in ((left, right), (right, left)):
        if flat.ndim == 1 and column.ndim == 2 and column.shape[1] == 1 and flat.shape[0] == column.shape[0] > 1:
            return True
    return False


def handlers(observer: "Observer", _walked: "Walked") -> Handlers:
    pairings = Pairings(observer)
    return Handlers(after={**dict.fromkeys((*DIFFERENCES, *COMPARISONS), pairings.paired)}, every=pairings.carried)
