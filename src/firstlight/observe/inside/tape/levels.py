"""Calls on the way of the data into the network after which almost all values are the same few."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from firstlight.observe.inside.tape.recorder import DRAWS, Recorder, Row

FEW = 3
"""Values: both ends of a range, and its middle."""
MOST_ROWS = 64


@dataclass(frozen=True)
class Levelled:
    row: Row
    before: float
    """Share of the elements that have one of the commonest few values, before the call and after it."""
    after: float


def levelled(entered: Sequence[torch.Tensor], recorder: Recorder) -> Iterator[Levelled]:
    """Of calls that were given one tensor of data and made one of as many elements of it, nothing drawn."""
    seen: set[int] = set()
    for tensor in entered:
        made, origin = tensor, recorder.made(tensor)
        while origin is not None and origin[0].inputs and origin[0].number not in seen and len(seen) < MOST_ROWS:
            row = origin[0]
            seen.add(row.number)
            given, _, origin = row.inputs[0]
            if len(row.inputs) == 1 and row.name not in DRAWS and _comparable(given, made):
                yield Levelled(row, crowd(given), crowd(made))
            made = given


def crowd(values: torch.Tensor) -> float:
    counts = torch.unique(values.detach(), return_counts=True)[1]
    return float(counts.sort(descending=True).values[:FEW].sum() / values.numel())


def _comparable(given: torch.Tensor, made: torch.Tensor) -> bool:
    return given.is_floating_point() and made.dtype != torch.bool and made.numel() == given.numel() > 0
