"""The gradients are suddenly a hundred times as large as usual.

## What it sees
The last steps' gradients, before clipping, are a hundred times their usual norm and ten times that of the beginning.

## When it is fine
One large gradient is a hard example. At the end of training usual gradients are tiny, so the beginning counts as
well. While the learning rate warms up nothing is said.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import GradientTrack

SURE = 0.9


class Limits(Settable):
    times: float = 100.0
    """The usual norm; noise stays within ten."""
    start: float = 10.0
    """Times the norm of the beginning."""
    severe: float = 1000.0
    """Times the usual norm, from which on it is an error."""


def find(track: GradientTrack, limits: Limits) -> Found:
    if (
        not track.usual > 0
        or not track.level > limits.times * track.usual
        or not track.level > limits.start * track.start
    ):
        return
    severe = track.level > limits.severe * track.usual
    leapt = f"at step {track.leapt_at} they leapt to a norm of {track.leapt_to:.3g}; "
    yield Evidence(
        where=Where(module=track.module, step=_begun(track), rank=track.rank),
        saw=f"{leapt if track.leapt_at is not None else ''}the last gradients have norm {track.level:.3g}; "
        f"{track.usual:.3g} is usual, {track.start:.3g} was at the start",
        wanted=f"less than {limits.times:g} times the usual",
        severity=Severity.ERROR if severe else None,
        confidence=SURE if severe else None,
        numbers={"level": track.level, "usual": track.usual, "start": track.start},
    )


def _begun(track: GradientTrack) -> int:
    """The first bad step, not the one at which it is certain."""
    return track.step if track.leapt_at is None else track.leapt_at


CHECK = Check(
    id="FL671",
    summary="the gradients are suddenly a hundred times as large as usual",
    causes=("hp-lr-high", "arch-exploding", "data-outlier"),
    likely="the last steps led somewhere steep: the learning rate is too high, or the data changed",
    fix="go back to a checkpoint before this step with a lower learning rate, or clip the gradients",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
