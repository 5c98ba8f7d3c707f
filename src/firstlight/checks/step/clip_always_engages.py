"""Every step is clipped, to a small fraction of its gradient.

## What it sees
Over the last 256 steps nearly every gradient was clipped, and the limit lies far below the usual norm.

## When it is fine
Adam and similar optimizers divide by the size of the gradient, so clipping hardly matters; there this is a note.
Language models are often clipped at 1 for their first few thousand steps, by a factor of two or three.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ClipTrack


class Limits(Settable):
    steps: int = 256
    """Fewest steps before the check speaks: one full window."""
    engaged: float = 0.95
    """Smallest share of the steps that are clipped."""
    coefficient: float = 0.02
    """Median factor left of a gradient, below which the check speaks: the rate then acts like a fiftieth of itself."""


def find(track: ClipTrack, limits: Limits) -> Found:
    if track.steps < limits.steps or not (track.engaged >= limits.engaged and track.coefficient < limits.coefficient):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.engaged:.0%} of the steps are clipped, to {track.coefficient:.2g} of their gradient: the limit is "
        f"{track.limit:.3g}, and nine norms in ten lie below {track.usual:.3g}",
        wanted="a limit that only the largest gradients reach",
        severity=Severity.NOTE if track.adaptive else None,
        do=f"set the limit to about {track.usual:.2g}",
        numbers={"engaged": track.engaged, "coefficient": track.coefficient, "usual": track.usual},
    )


CHECK = Check(
    id="FL373",
    summary="every step is clipped, to a small fraction of its gradient",
    causes=("hp-clip",),
    likely="the limit was meant for a loss of another scale: it acts like a much lower learning rate",
    fix="set the limit to the norm that nine gradients in ten stay below",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
