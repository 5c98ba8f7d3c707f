"""The loss has stopped falling while much of it is left.

## What it sees
For a long stretch the loss has not had a better one, and more than half of the starting loss is still there.

## When it is fine
How low a loss can go is not known: labels may be noisy, the task hard. So this is a note and never a red flag.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    steps: int = 1000
    """Since the best stretch."""
    left: float = 0.5
    """Share of the starting loss."""
    rate: float = 1e-3
    """Share of its highest below which the learning rate itself is the reason."""


def find(track: LossTrack, limits: Limits) -> Found:
    if not track.fed or track.rivals > 1 or not track.positive or not track.start > 0:
        return
    if track.since_best < limits.steps or not track.level > limits.left * track.start:
        return
    tiny = track.lr_share < limits.rate
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"the loss is {track.level:.4g}, and its best stretch ({track.best:.4g}) lies {track.since_best} steps "
        f"back",
        wanted="a loss that still falls while more than half of it is left",
        cause="train-schedule" if tiny else None,
        likely=f"the learning rate is down to {track.lr_share:.1e} of its highest" if tiny else None,
        numbers={"level": track.level, "best": track.best, "since_best": track.since_best},
    )


CHECK = Check(
    id="FL575",
    summary="the loss has stopped falling while much of it is left",
    causes=("hp-lr-low", "train-schedule", "hp-regularisation", "arch-capacity"),
    likely="the learning rate is too low by now, or the model cannot do better",
    fix="try three times the learning rate from the last checkpoint, then a larger model",
    severity=Severity.NOTE,
    confidence=0.3,
    find=find,
    symptom=True,
)
