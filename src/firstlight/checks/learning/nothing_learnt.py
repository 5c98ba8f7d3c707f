"""After hundreds of steps the loss is still at its starting value.

## What it sees
A run that a loader feeds has made several hundred steps at its full learning rate, and neither the level nor the lowest
stretch of its loss differs from the start by more than two percent.

## When it is fine
Reinforcement learning, adversarial training and losses that may be negative are not judged. Contrastive and language
models can stay on their first plateau through a long warm-up: nothing is reported while the learning rate is rising.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import LossTrack


class Limits(Settable):
    steps: int = 400
    """Fewest steps; longer than a usual warm-up."""
    share: float = 0.02
    """Largest relative difference from the starting loss; twice the noise between seeds."""


def find(track: LossTrack, limits: Limits) -> Found:
    if not track.fed or track.rivals > 1 or track.warming or not track.positive or track.steps < limits.steps:
        return
    band = limits.share * track.start
    if (
        not track.start > 0
        or not abs(track.level - track.start) < band
        or not track.start - track.best < band + track.noise
    ):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"after {track.steps} steps the loss is {track.level:.4g}; it started at {track.start:.4g}",
        wanted=f"below {track.start - band:.4g}",
        numbers={"start": track.start, "level": track.level, "steps": track.steps},
    )


CHECK = Check(
    id="FL574",
    summary="after hundreds of steps the loss is still at its starting value",
    causes=("hp-lr-low", "loss-detached", "train-frozen", "data-label-misaligned", "data-degenerate"),
    likely="no gradient reaches the weights, the learning rate is far too low, or inputs and targets do not belong "
    "together",
    fix="run `firstlight diagnose` on the program: it tries the causes one by one",
    severity=Severity.WARNING,
    confidence=0.5,
    find=find,
    symptom=True,
)
