"""The gradients are suddenly a hundred times larger than usual.

## What it sees
Over the last steps, the gradient norm before clipping is more than a hundred times its usual value and more than ten
times its value at the start of the run.

## When it is fine
A single large gradient is just a hard example. Late in training the usual gradients are tiny, which is why the norm is
also compared with the start. Nothing is reported while the learning rate warms up.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import GradientTrack

SURE = 0.9


class Limits(Settable):
    times: float = 100.0
    """How many times the usual norm the gradients must exceed; noise stays within ten times."""
    start: float = 10.0
    """How many times the norm at the start of the run the gradients must also exceed."""
    severe: float = 1000.0
    """How many times the usual norm turns the warning into an error."""


def find(track: GradientTrack, limits: Limits) -> Found:
    if (
        not track.usual > 0
        or not track.level > limits.times * track.usual
        or not track.level > limits.start * track.start
    ):
        return
    severe = track.level > limits.severe * track.usual
    leapt = f"; it jumped to {track.leapt_to:.3g} at step {track.leapt_at}"
    yield Evidence(
        where=Where(module=track.module, step=_begun(track), rank=track.rank),
        saw=f"the gradient norm is now {track.level:.3g}; it is usually {track.usual:.3g}, and was {track.start:.3g} "
        f"at the start{leapt if track.leapt_at is not None else ''}",
        wanted=f"a norm of less than {limits.times:g} times the usual one",
        severity=Severity.ERROR if severe else None,
        confidence=SURE if severe else None,
        numbers={"level": track.level, "usual": track.usual, "start": track.start},
    )


def _begun(track: GradientTrack) -> int:
    """The first bad step, not the step at which it became certain."""
    return track.step if track.leapt_at is None else track.leapt_at


CHECK = Check(
    id="FL671",
    summary="the gradients are suddenly a hundred times larger than usual",
    causes=("hp-lr-high", "arch-exploding", "data-outlier"),
    likely="the last steps moved the weights into a steep region: the learning rate is too high, or the data changed",
    fix="resume from a checkpoint before this step with a lower learning rate, or clip the gradients",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
