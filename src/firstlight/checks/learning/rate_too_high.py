"""The learning rate is so high that the program learns nothing, or unlearns.

## What it sees
The program's loss is no lower than at its start, or is no longer finite, while a copy of it from the same first
batch with a tenth of the learning rate, and nothing else changed, learnt a good deal.

## When it is fine
Only programs fed by a loader that minimise one of torch's own losses are judged. A loss that is meant to rise
(adversaries, a term that is warmed up) does not fall at a tenth of the rate either.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.contrast import Contrast
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    steps: int = 40
    """The first steps of a healthy run may rise."""
    stands: float = 0.03
    """Share of its first loss that a program which does not learn has lost."""
    moves: float = 0.35
    """Share that the copy at a tenth of the rate must lose."""


def find(contrast: Contrast, limits: Limits) -> Iterator[Evidence]:
    pair = contrast.of("lr-tenth")
    if not contrast.supervised or pair is None or pair.steps < limits.steps or not pair.other.finite:
        return
    start = min(pair.base.first, pair.other.first)  # the same weights; the faster run may have left them at once
    if start <= 0 or start - pair.base.last > limits.stands * start or start - pair.other.last < limits.moves * start:
        return
    ended = f"{pair.base.last:.4g}" if pair.base.finite else "a value that is not finite"
    yield Evidence(
        where=at(contrast.lr_site, rank=contrast.rank),
        saw=f"in {pair.steps} steps the loss went from {start:.4g} to {ended}; with a tenth of the "
        f"learning rate, from the same start, to {pair.other.last:.4g}",
        wanted="a loss that falls at the learning rate chosen",
        do=f"divide the learning rate by 10{f' (from {contrast.lr:g})' if contrast.lr else ''} and check again",
        numbers={"base": pair.base.last, "lower": pair.other.last},
    )


CHECK = Check(
    id="FL505",
    name="rate-too-high",
    summary="the learning rate is so high that nothing is learnt",
    causes=("hp-lr-high",),
    likely="the learning rate is too high by an order of magnitude",
    fix="divide the learning rate by 10 and check again",
    severity=Severity.ERROR,
    confidence=0.88,
    needs=Contrast,
    limits=Limits(),
    find=find,
    symptom=True,
)
