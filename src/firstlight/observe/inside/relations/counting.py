"""Which examples of a batch the loss counts: those whose predictions move it."""

from collections.abc import Sequence

import torch

from firstlight.observe.inside import rows
from firstlight.observe.inside.relations.keeping import by_example
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.relations import RowsReached

COUNTED_STEPS = 16


class RowsCounted:
    """Adds up over steps, of batches of one size, which rows ever moved the loss.

    A row that holds the same example at every step is one whose answer is kept back, as in a graph that is fed whole.
    """

    def __init__(self) -> None:
        self.steps = 0
        self._first: list[int] = []
        self._ever = self._changed = torch.empty(0, dtype=torch.bool)

    def add(self, tail: Tail, inputs: Sequence[torch.Tensor]) -> None:
        given = next((tensor for tensor in inputs if tensor.ndim and tensor.numel() > 1), None)
        if given is None or self.steps >= COUNTED_STEPS or (self.steps and len(given) != len(self._ever)):
            return
        try:
            moving = [_moving(tail, meeting, given) for meeting in tail.meetings]
        except CANNOT:
            return
        found = [one for one in moving if one is not None]
        if not found or len(found) < len(moving):
            return
        ever, examples = torch.stack(found).any(0), rows.keys([given])
        if len(examples) != len(ever):
            return
        if not self.steps:
            self._first, self._ever, self._changed = examples, ever, torch.zeros_like(ever)
        self.steps += 1
        self._ever = self._ever | ever
        self._changed |= torch.tensor([now != first for now, first in zip(examples, self._first, strict=True)])

    def seen(self) -> RowsReached:
        never = int((self._changed & ~self._ever).sum()) if bool(self._ever.any()) else len(self._ever)
        return RowsReached(steps=self.steps, rows=len(self._ever), never=never)


def _moving(tail: Tail, meeting: Meeting, given: torch.Tensor) -> torch.Tensor | None:
    """For each example, whether the loss has a gradient towards its prediction."""
    slope = slope_of(tail, meeting)
    if slope is None or by_example(slope, given) is None:
        return None
    return (slope != 0).reshape(len(given), -1).any(1).cpu()


def slope_of(tail: Tail, meeting: Meeting) -> torch.Tensor | None:
    """The gradient of the loss towards what is predicted, in a copy of the tail of its own; it may raise `CANNOT`."""
    predicted = [tensor for tensor, _, _ in meeting.row.inputs if tensor.requires_grad and tensor.ndim]
    if len(predicted) != 1 or not predicted[0].is_floating_point():
        return None
    with torch.enable_grad():
        leaf = predicted[0].detach().clone().requires_grad_()
        (slope,) = torch.autograd.grad(tail.replay({id(predicted[0]): leaf}), leaf)
    return slope
