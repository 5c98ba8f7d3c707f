"""Answers to the same questions change from look to look, long after the start.

## What it sees
Much of the loss is gone, and still a good part of the predictions on the fixed batch are other classes than at the look
before, five looks in a row.

## When it is fine
Examples that are truly ambiguous, or thousands of classes that are nearly alike, as words are. It is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PredictionTrack


class Limits(Settable):
    looks: int = 10
    """Fewer belong to the start."""
    flips: float = 0.3
    """Share of predictions that change, as a median of five looks."""
    remaining: float = 0.7
    """Share of the starting loss, at the most: before, nothing is settled."""


def find(track: PredictionTrack, limits: Limits) -> Found:
    if track.looks < limits.looks or not (track.remaining <= limits.remaining and track.flips > limits.flips):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.flips:.0%} of the predictions on the fixed batch change from look to look, though only "
        f"{track.remaining:.0%} of the loss is left",
        wanted=f"less than {limits.flips:.0%}",
        numbers={"flips": track.flips, "remaining": track.remaining, "looks": track.looks},
    )


CHECK = Check(
    id="FL581",
    summary="answers to the same questions change from look to look",
    causes=("hp-lr-high", "data-label-noise"),
    likely="the learning rate is too high for this stage of the training",
    fix="lower the learning rate from the last checkpoint on, and look whether the answers settle",
    severity=Severity.NOTE,
    confidence=0.5,
    find=find,
)
