"""Every step is clipped, to a small part of its gradient.

## What it sees
Over the last 256 steps nearly every gradient was cut, and the limit lies far below their usual norm.

## When it is fine
Adam and its like divide by the size of the gradient and hardly notice; there it is a note. Language models are often
clipped at 1 through their first thousands of steps, by a factor of two or three.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ClipTrack


class Limits(Settable):
    steps: int = 256
    """A whole window."""
    engaged: float = 0.95
    """Share of steps that are cut."""
    coefficient: float = 0.02
    """What is left of a gradient, as a median; the learning rate is then a fiftieth of what was set."""


def find(track: ClipTrack, limits: Limits) -> Found:
    if track.steps < limits.steps or not (track.engaged >= limits.engaged and track.coefficient < limits.coefficient):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.engaged:.0%} of the steps are clipped, to {track.coefficient:.2g} of their gradient: the limit is "
        f"{track.limit:.3g}, nine norms in ten lie below {track.usual:.3g}",
        wanted="a limit that only the largest gradients reach",
        severity=Severity.NOTE if track.adaptive else None,
        do=f"set the limit to about {track.usual:.2g}",
        numbers={"engaged": track.engaged, "coefficient": track.coefficient, "usual": track.usual},
    )


CHECK = Check(
    id="FL373",
    summary="every step is clipped, to a small part of its gradient",
    causes=("hp-clip",),
    likely="a limit meant for another scale of loss: it acts as a much lower learning rate",
    fix="set the limit to the norm that nine gradients in ten stay below",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
