"""The learning rate is so low that nothing moves.

## What it sees
The program made next to no progress, while a copy of it from the same first batch, with ten or a hundred times the
learning rate and nothing else changed, learnt a good deal.

## When it is fine
Losses that are not meant to fall (policy gradients, adversaries) are not judged: only programs fed by a loader that
minimise one of torch's own losses are. A warm-up that is still near its beginning looks the same; the report then
comes from too few steps.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.contrast import Contrast, Level
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    steps: int = 100
    """Fewer say little about a slow start."""
    stands: float = 0.02
    """Share of its first loss that a program standing still has lost."""
    moves: float = 0.3
    """Share that the copy with the higher rate must lose."""


def find(contrast: Contrast, limits: Limits) -> Iterator[Evidence]:
    for name, factor in (("lr-tenfold", 10), ("lr-hundredfold", 100)):
        pair = contrast.of(name)
        if not contrast.supervised or pair is None or pair.steps < limits.steps:
            continue
        start = min(pair.base.first, pair.other.first)  # the same weights; the faster run may have left them at once
        if abs(_lost(start, pair.base)) > limits.stands or _lost(start, pair.other) < limits.moves:
            continue
        yield Evidence(
            where=at(contrast.lr_site, rank=contrast.rank),
            saw=f"in {pair.steps} steps the loss went from {start:.4g} to {pair.base.last:.4g}; with "
            f"{factor} times the learning rate, from the same start, to {pair.other.last:.4g}",
            wanted="visible progress within the first hundred steps",
            do=f"raise the learning rate tenfold{f' from {contrast.lr:g}' if contrast.lr else ''} and check again",
            numbers={"base": pair.base.last, "higher": pair.other.last},
        )
        return


def _lost(start: float, level: Level) -> float:
    return (start - level.last) / abs(start) if level.finite and start else 0.0


CHECK = Check(
    id="FL504",
    name="rate-too-low",
    summary="the learning rate is so low that nothing moves",
    causes=("hp-lr-low",),
    likely="the learning rate is too low by an order of magnitude",
    fix="raise the learning rate tenfold and check again",
    severity=Severity.WARNING,
    confidence=0.85,
    needs=Contrast,
    limits=Limits(),
    find=find,
)
