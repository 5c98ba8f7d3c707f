"""The loss bounces from step to step and makes no progress.

## What it sees
Nearly every step reverses the direction of the step before, by a good part of the loss itself, and the loss has hardly
come down from its starting value.

## When it is fine
Noise reverses direction two times in three and is not reported. Two alternating batches, one harder than the other,
make the loss bounce as well, but it comes down.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    steps: int = 128
    """Steps over which reversals are counted."""
    turns: float = 0.85
    """Share of steps that reverse the last one; pure noise has 0.67 with a standard deviation of 0.04."""
    swing: float = 0.1
    """Smallest ratio of noise to level; a bounce of a few percent does no harm."""
    left: float = 0.7
    """Smallest share of the starting loss that is still left."""


def find(track: LossTrack, limits: Limits) -> Found:
    if track.steps < limits.steps or track.rivals > 1 or not track.positive or not track.level > 0:
        return
    if not track.flips > limits.turns or not track.noise > limits.swing * track.level:
        return
    if not track.best > limits.left * track.start:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.flips:.0%} of the last {limits.steps} steps reverse the one before; the loss is at "
        f"{track.level:.4g} and started at {track.start:.4g}",
        wanted="losses that fall on average",
        numbers={"flips": track.flips, "level": track.level, "start": track.start},
    )


CHECK = Check(
    id="FL573",
    summary="the loss bounces from step to step and makes no progress",
    causes=("hp-lr-high", "hp-optimizer"),
    likely="every step jumps over the valley: the learning rate is too high",
    fix="divide the learning rate by 3 and look at the first hundred steps again",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
