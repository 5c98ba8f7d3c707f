"""The scores before the softmax grow and grow, while the loss is still there.

## What it sees
On the fixed batch the logarithm of what the softmax divides by is large, and has risen from look to look. Shifting all
scores changes no answer, so that nothing holds them back; in 16 bits they lose their digits, and the run its stability.

## When it is fine
A model that has become sure of itself has large scores and little loss left, and is not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PredictionTrack


class Limits(Settable):
    level: float = 50.0
    """The logarithm of what a softmax divides by; healthy ones stay below 20."""
    chance: float = 1e-3
    """Of so steady a rise without a trend."""
    remaining: float = 0.2
    """Share of the starting loss, at the least."""


def find(track: PredictionTrack, limits: Limits) -> Found:
    if not track.score_level > limits.level or not track.score_rising < limits.chance:
        return
    if not track.remaining > limits.remaining:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"the softmax of the fixed batch divides by e to the {track.score_level:.3g}, more from look to look, and "
        f"{track.remaining:.0%} of the loss is left",
        wanted=f"below {limits.level:g}",
        numbers={"level": track.score_level, "remaining": track.remaining},
    )


CHECK = Check(
    id="FL673",
    summary="the scores before the softmax grow without end",
    causes=("num-logit-growth", "hp-lr-high"),
    likely="nothing holds back a shift that all scores share",
    fix="add a small penalty on the square of the logarithm (1e-4, a z-loss), or lower the learning rate",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
