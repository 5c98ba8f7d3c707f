"""A gradient is changed after autograd has made it, and no longer points where it should.

## What it sees
What hooks on tensors and modules make of the gradient they are given, and what becomes of the gradients between the
backward and the step. Told is a change that turns the sign of a part of it (an absolute value, rows that change
places), or one that rounds most of it to zero, as a cast to half precision without a loss scale does.

## When it is fine
Scaling, clipping, masking and reversing a gradient as a whole, which are all meant and not reported. Noise that is
stronger than the gradient itself, added on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.finding import Scalar
from firstlight.records.taped import AlteredSeen


class Limits(Settable):
    times: int = 3
    """Once or twice may be an experiment of the program's own."""
    flipped: float = 0.1
    """Share of the gradient whose sign has turned: what is not within this of none, nor of all by its square and by its
    elements alike, is no one factor."""
    cosine: float = 0.7
    """With the gradient as it was; centring and projections stay above."""
    lost: float = 0.3
    """Share of the elements rounded to zero."""
    uneven: float = 0.02
    """Deviation of the factor of all others over its mean: a mask leaves them as they are, rounding does not."""


def find(altered: AlteredSeen, limits: Limits) -> Found:
    if altered.times < limits.times:
        return
    place = at(altered.site, step=altered.step, rank=altered.rank)
    numbers: dict[str, Scalar] = {
        "flipped": altered.flipped,
        "turned": altered.turned,
        "cosine": altered.cosine,
        "lost": altered.lost,
        "uneven": altered.uneven,
    }
    in_part = limits.flipped <= altered.flipped and min(altered.flipped, altered.turned) <= 1 - limits.flipped
    if in_part and altered.cosine < limits.cosine:
        yield Evidence(
            where=place,
            saw=f"{altered.by} changes the gradient of {altered.name}: {altered.flipped:.0%} of it points the other "
            f"way afterwards, and its cosine with what autograd gave is {altered.cosine:.2f}",
            wanted="the gradient that autograd gave, scaled, clipped or masked at most",
            numbers=numbers,
        )
    elif altered.lost >= limits.lost and altered.uneven >= limits.uneven:
        yield Evidence(
            where=place,
            saw=f"{altered.by} changes the gradient of {altered.name}: {100 * altered.lost:.3g}% of its elements "
            f"become zero, and the others change by factors that differ by {altered.uneven:.0%}",
            wanted="gradients that survive until the step",
            cause="num-precision",
            likely="they are cast to a format in which they are too small to be told from zero",
            do="keep gradients in float32, or multiply the loss by a scale first, as `torch.amp.GradScaler` does",
            numbers=numbers,
        )


CHECK = Check(
    id="FL222",
    summary="a gradient is changed after autograd has made it",
    causes=("loss-gradient", "num-precision"),
    likely="a hook, or code between backward and step, that changes signs or moves rows",
    fix="remove it, or return a positive multiple of what it is given",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
