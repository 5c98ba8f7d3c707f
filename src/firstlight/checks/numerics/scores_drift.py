"""The logits grow without bound while much of the loss remains.

## What it sees
On a fixed batch, the logarithm of the softmax denominator is large and keeps rising from look to look. Shifting all
logits by the same amount does not change the prediction, so nothing holds them back; in 16 bits they lose precision,
and the run becomes unstable.

## When it is fine
A model that has become confident has large logits and little loss left; it is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PredictionTrack


class Limits(Settable):
    level: float = 50.0
    """Size of the log of the softmax denominator above which it is suspicious; healthy runs stay below 20."""
    chance: float = 1e-3
    """Highest probability that so steady a rise comes about by chance."""
    remaining: float = 0.2
    """Smallest share of the starting loss that must remain for this to be reported."""


def find(track: PredictionTrack, limits: Limits) -> Found:
    if not track.score_level > limits.level or not track.score_rising < limits.chance:
        return
    if not track.remaining > limits.remaining:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"on a fixed batch the log of the softmax denominator has risen to {track.score_level:.3g}, with "
        f"{track.remaining:.0%} of the loss left",
        wanted=f"a value of at most {limits.level:g}",
        numbers={"level": track.score_level, "remaining": track.remaining},
    )


CHECK = Check(
    id="FL673",
    summary="the logits grow without bound",
    causes=("num-logit-growth", "hp-lr-high"),
    likely="nothing holds back a shift shared by all logits",
    fix="penalise the squared log of the softmax denominator (a z-loss, weight 1e-4), or lower the learning rate",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
