"""Predictions for the same inputs keep changing, long after the start.

## What it sees
Much of the loss is gone, but at each of five looks in a row a large part of the predictions on the fixed batch are
other classes than at the look before.

## When it is fine
Examples that are truly ambiguous, or thousands of similar classes, such as words. This is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PredictionTrack


class Limits(Settable):
    looks: int = 10
    """Fewest looks; fewer belong to the start."""
    flips: float = 0.3
    """Share of predictions that change, as a median over five looks."""
    remaining: float = 0.7
    """Largest share of the starting loss; above it, nothing is settled yet."""


def find(track: PredictionTrack, limits: Limits) -> Found:
    if track.looks < limits.looks or not (track.remaining <= limits.remaining and track.flips > limits.flips):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.flips:.0%} of the predictions on the fixed batch change from look to look, although only "
        f"{track.remaining:.0%} of the loss is left",
        wanted=f"less than {limits.flips:.0%}",
        numbers={"flips": track.flips, "remaining": track.remaining, "looks": track.looks},
    )


CHECK = Check(
    id="FL581",
    summary="predictions for the same inputs keep changing",
    causes=("hp-lr-high", "data-label-noise"),
    likely="the learning rate is too high for this stage of training",
    fix="continue from the last checkpoint with a lower learning rate, and check whether the predictions settle",
    severity=Severity.NOTE,
    confidence=0.5,
    find=find,
)
