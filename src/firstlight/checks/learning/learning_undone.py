"""What was learned is lost again.

## What it sees
The loss had fallen to less than half of its starting value, and for some time it has been back near that value, or far
above it. One spike that recovers does not count.

## When it is fine
Losses that may be negative, runs without a loader and runs with several optimizers are not judged. A new task or a new
phase of a curriculum can undo a loss on purpose; it then falls again, and is reported at most once.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack

STRETCH = 8
"""Steps averaged into one value of the trend."""


class Limits(Settable):
    learnt: float = 0.5
    """Share of the starting loss below which something had been learned."""
    lost: float = 0.8
    """Share of the starting loss above which nearly all of it is lost again."""
    stretch: int = 32
    """Fewest steps for which it must have stayed there; spikes recover within sixteen."""


def find(track: LossTrack, limits: Limits) -> Found:
    if not track.fed or track.rivals > 1 or not track.positive or not track.start > 0:
        return
    window = track.trend[-max(1, limits.stretch // STRETCH) :]
    if not track.best < limits.learnt * track.start or track.since_best < limits.stretch or not window:
        return
    if not min(window) > limits.lost * track.start or not track.level > limits.lost * track.start:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"the loss started at {track.start:.4g}, had fallen to {track.best:.4g}, and is back at {track.level:.4g}",
        wanted="a loss that keeps what it has gained",
        numbers={"start": track.start, "best": track.best, "level": track.level},
    )


CHECK = Check(
    id="FL571",
    summary="what was learned is lost again",
    causes=("hp-lr-high", "train-schedule", "data-label-misaligned", "train-reinit"),
    likely="a learning rate that became too high, a weight that was reset, or data that changed during the run",
    fix="look at what changed in the steps before (learning rate, data, phase), and go back to a checkpoint from "
    "before the change",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
    symptom=True,
)
