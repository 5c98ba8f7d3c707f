"""The loss has stopped falling while it is still high.

## What it sees
The loss has not reached a new low for a long time, and it is still above half of its starting value.

## When it is fine
How low a loss can go is not known: labels may be noisy, or the task hard. So this is a note and never an alarm.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    steps: int = 1000
    """Fewest steps since the lowest stretch."""
    left: float = 0.5
    """Smallest share of the starting loss that is still left."""
    rate: float = 1e-3
    """Share of its highest value below which the learning rate itself is the reason."""


def find(track: LossTrack, limits: Limits) -> Found:
    if not track.fed or track.rivals > 1 or not track.positive or not track.start > 0:
        return
    if track.since_best < limits.steps or not track.level > limits.left * track.start:
        return
    tiny = track.lr_share < limits.rate
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"the loss is {track.level:.4g}, and its lowest stretch ({track.best:.4g}) was {track.since_best} steps "
        f"ago",
        wanted="a loss that keeps falling while more than half of it is left",
        cause="train-schedule" if tiny else None,
        likely=f"the learning rate is down to {track.lr_share:.1e} of its highest value" if tiny else None,
        numbers={"level": track.level, "best": track.best, "since_best": track.since_best},
    )


CHECK = Check(
    id="FL575",
    summary="the loss has stopped falling while it is still high",
    causes=("hp-lr-low", "train-schedule", "hp-regularisation", "arch-capacity"),
    likely="the learning rate has become too low, or the model cannot do better",
    fix="try three times the learning rate from the last checkpoint, then a larger model",
    severity=Severity.NOTE,
    confidence=0.3,
    find=find,
    symptom=True,
)
