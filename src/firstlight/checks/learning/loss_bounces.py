"""The loss bounces from step to step and goes nowhere.

## What it sees
Nearly every step turns around what the last one did, by a good part of the loss itself, and the loss has hardly come
down from where it began.

## When it is fine
Noise turns around two times in three and is left alone. Two batches in turn, one harder than the other, bounce as well,
but the loss of such a run comes down.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    steps: int = 128
    """The window over which turns are counted."""
    turns: float = 0.85
    """Share of steps that turn around the last; pure noise has 0.67 with a deviation of 0.04."""
    swing: float = 0.1
    """Noise over level; a bounce of a few per cent does no harm."""
    left: float = 0.7
    """Share of the starting loss that is still there, at the least."""


def find(track: LossTrack, limits: Limits) -> Found:
    if track.steps < limits.steps or track.rivals > 1 or not track.positive or not track.level > 0:
        return
    if not track.flips > limits.turns or not track.noise > limits.swing * track.level:
        return
    if not track.best > limits.left * track.start:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.flips:.0%} of the last {limits.steps} steps turn around the one before; the loss is at "
        f"{track.level:.4g} and began at {track.start:.4g}",
        wanted="losses that fall on average",
        numbers={"flips": track.flips, "level": track.level, "start": track.start},
    )


CHECK = Check(
    id="FL573",
    summary="the loss bounces from step to step and goes nowhere",
    causes=("hp-lr-high", "hp-optimizer"),
    likely="every step jumps over the valley: the learning rate is too high",
    fix="divide the learning rate by 3 and look at the first hundred steps again",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
