"""Calls on the way of the data into the network after which almost all values are the same few."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from firstlight.observe.inside.tape.recorder import DRAWS, Recorder, Row

COMMONEST = 3
"""Values: both ends of a range, and its middle."""
MOST_CALLS = 64
MOST_ASKED = 32
MEANT = frozenset({"round", "sign", "heaviside", "where", "bucketize"})
"""Calls that are made to give few values."""
LIVELY = 0.5
"""Share of a column that may have one of few values for the column to be asked: flags and classes have no more."""


@dataclass(frozen=True)
class Levelled:
    row: Row
    before: float
    """Share of a column that has one of its commonest few values, before the call and after it: means over those
    columns that had many."""
    after: float


def levelled(entered: Sequence[torch.Tensor], recorder: Recorder) -> Iterator[Levelled]:
    """Of calls that were given one tensor of data and made one of the same shape of it, nothing drawn."""
    seen: set[int] = set()
    for tensor in entered:
        made, origin = tensor, recorder.made(tensor)
        while origin is not None and origin[0].inputs and origin[0].number not in seen and len(seen) < MOST_CALLS:
            row = origin[0]
            seen.add(row.number)
            given, _, origin = row.inputs[0]
            if len(row.inputs) == 1 and _uses_values(row.name) and _comparable(given, made):
                shares = [pair for pair in zip(_crowds(given), _crowds(made), strict=True) if pair[0] <= LIVELY]
                if shares:
                    yield Levelled(row, *(sum(share) / len(shares) for share in zip(*shares, strict=True)))
            made = given


def _uses_values(name: str) -> bool:
    """Of what it is given, and not its shape alone or on purpose few of them."""
    return name.rstrip("_") not in DRAWS | MEANT and not name.endswith("_like")


def _crowds(values: torch.Tensor) -> list[float]:
    """Of each column, or of all values where there is none, or too many."""
    columns = values.shape[-1] if values.ndim > 1 and values.shape[-1] <= MOST_ASKED else 1
    return [_crowd(column) for column in values.detach().double().reshape(-1, columns).unbind(1)]


def _crowd(values: torch.Tensor) -> float:
    counts = torch.unique(values, return_counts=True)[1]
    return float(counts.sort(descending=True).values[:COMMONEST].sum() / values.numel())


def _comparable(given: torch.Tensor, made: torch.Tensor) -> bool:
    plain = made.dtype != torch.bool and not made.is_complex() and made.layout == given.layout == torch.strided
    return plain and given.is_floating_point() and made.shape == given.shape and given.numel() > 0
