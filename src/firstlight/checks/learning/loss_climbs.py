"""The loss rises above its starting value.

## What it sees
Over the last 128 steps of a run that a loader feeds, the loss rises steadily, by more than its noise, and is clearly
above its starting value. Or the graph shows that the negative of a loss function that is never below zero is minimized,
and that it falls: then the loss itself climbs without bound.

## When it is fine
Reinforcement learning and adversarial training have no loss that must fall: runs without a loader, or with several
optimizers, are not judged. Nothing is reported while the learning rate is still rising. A term that is phased in slowly
(KL annealing, a curriculum) raises a loss that had fallen before, but not above its starting value.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    steps: int = 64
    """Fewest steps; fewer do not make a trend."""
    chance: float = 1e-3
    """Largest probability that so clear a rise is chance; one in a thousand, and the rise must be large as well."""
    above_start: float = 0.2
    """Smallest share of the starting loss by which the loss is above it; noise between batches stays below that."""
    negated_steps: int = 16
    """Fewest steps for a negated loss: as many as make a level."""
    noises: float = 3.0
    """Smallest rise over the window, in multiples of the noise."""


def find(track: LossTrack, limits: Limits) -> Found:
    if track.negated is not None and track.rivals == 1 and track.steps >= limits.negated_steps:
        yield from _negated(track, track.negated)
        return
    if not track.fed or track.rivals > 1 or track.warming or track.steps < limits.steps or not track.trend:
        return
    rise, beyond = track.trend[-1] - track.trend[0], track.level - track.start
    if not track.rising < limits.chance or not rise > limits.noises * track.noise:
        return
    if not beyond > limits.above_start * abs(track.start) or not track.start:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"the loss started at {track.start:.4g}, is at {track.level:.4g} after {track.steps} steps, and is rising",
        wanted="a loss that falls, or stays near its starting value",
        cause="hp-lr-high" if track.best < track.start - abs(track.start) * limits.above_start else None,
        numbers={"start": track.start, "level": track.level, "rise": rise},
    )


def _negated(track: LossTrack, loss: str) -> Found:
    if not track.level < min(track.start, 0.0):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"`backward` is called on the negative of `{loss}`, which has gone from {track.start:.4g} to "
        f"{track.level:.4g}: the loss itself climbs",
        wanted=f"`{loss}` that falls towards 0",
        cause="loss-sign",
        severity=Severity.ERROR,
        confidence=0.95,
        likely="the sign of the loss is wrong",
        do="remove the minus sign from what `backward` is called on",
        numbers={"start": track.start, "level": track.level},
    )


CHECK = Check(
    id="FL570",
    summary="the loss rises above its starting value",
    causes=("loss-sign", "hp-lr-high", "train-no-zero-grad"),
    likely="the sign of the loss is wrong, or the learning rate is too high",
    fix="look at the sign of what `backward` is called on; then divide the learning rate by 10 and check again",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
