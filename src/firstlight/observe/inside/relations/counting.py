"""Which examples of a batch the loss counts: those whose predictions move it."""

from collections.abc import Sequence

import torch

from firstlight.observe.inside.relations.keeping import by_example
from firstlight.observe.inside.tape.tail import CANNOT, Meeting, Tail
from firstlight.records.relations import RowsReached

COUNTED_STEPS = 16


class RowsCounted:
    """Adds up over steps, of batches of one size, which rows ever moved the loss."""

    def __init__(self) -> None:
        self.steps = 0
        self._ever: torch.Tensor | None = None

    def add(self, tail: Tail, inputs: Sequence[torch.Tensor]) -> None:
        given = next((tensor for tensor in inputs if tensor.ndim and tensor.numel() > 1), None)
        if given is None or self.steps >= COUNTED_STEPS or (self._ever is not None and len(given) != len(self._ever)):
            return
        try:
            moving = [_moving(tail, meeting, given) for meeting in tail.meetings]
        except CANNOT:
            return
        found = [one for one in moving if one is not None]
        if not found or len(found) < len(moving):
            return
        self.steps += 1
        ever = torch.stack(found).any(0)
        self._ever = ever if self._ever is None else self._ever | ever

    def seen(self) -> RowsReached:
        if self._ever is None:
            return RowsReached()
        return RowsReached(steps=self.steps, rows=len(self._ever), never=int((~self._ever).sum()))


def _moving(tail: Tail, meeting: Meeting, given: torch.Tensor) -> torch.Tensor | None:
    """For each example, whether the loss has a gradient towards its prediction; in a copy of the tail of its own."""
    predicted = [tensor for tensor, _, _ in meeting.row.inputs if tensor.requires_grad and tensor.ndim]
    if len(predicted) != 1 or not predicted[0].is_floating_point():
        return None
    with torch.enable_grad():
        leaf = predicted[0].detach().clone().requires_grad_()
        (slope,) = torch.autograd.grad(tail.replay({id(predicted[0]): leaf}), leaf)
    if by_example(slope, given) is None:
        return None
    return (slope != 0).reshape(len(given), -1).any(1).cpu()
