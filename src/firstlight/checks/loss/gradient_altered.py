"""A gradient is changed after autograd has computed it, and no longer points the right way.

## What it sees
What hooks on tensors and modules do to the gradient they are given, and what happens to the gradients between the
backward and the step. Three changes are reported: one that flips the sign of a part of the gradient (an absolute value,
rows that change places), one that sets all elements of one sign to zero and keeps the others, and one that rounds most
of it to zero, such as a cast to half precision without a loss scale.

## When it is fine
Scaling, clipping, masking or reversing a gradient as a whole is intended and not reported. Noise that is stronger than
the gradient itself may be added on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.finding import Scalar
from firstlight.records.taped import AlteredSeen


class Limits(Settable):
    times: int = 3
    """Fewest times that this is seen; once or twice may be an experiment of the program's own."""
    flipped: float = 0.1
    """Share of the gradient whose sign is flipped. The change counts as partial if at least this share flips and, by
    its square or by its elements, at least this share does not; a single factor flips all or nothing."""
    cosine: float = 0.7
    """Cosine with the original gradient below which the change counts; centering and projections stay above."""
    lost: float = 0.3
    """Smallest share of the elements that become zero."""
    sided: float = 0.99
    """Share from which on those that become zero have one sign and the others the other: a mask takes of both."""
    uneven: float = 0.02
    """Smallest deviation of the factor on all other elements, relative to its mean: a mask leaves them as they are,
    rounding does not."""


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
        "sided": altered.sided,
    }
    in_part = limits.flipped <= altered.flipped and min(altered.flipped, altered.turned) <= 1 - limits.flipped
    if in_part and altered.cosine < limits.cosine:
        yield Evidence(
            where=place,
            saw=f"{altered.by} changes the gradient of {altered.name}: {altered.flipped:.0%} of it points the opposite "
            f"way afterwards, and its cosine with what autograd computed is {altered.cosine:.2f}",
            wanted="the gradient that autograd computed, at most scaled, clipped or masked",
            numbers=numbers,
        )
    elif altered.lost >= limits.lost and altered.sided >= limits.sided:
        yield Evidence(
            where=place,
            saw=f"{altered.by} changes the gradient of {altered.name}: {altered.lost:.0%} of its elements become zero, "
            "all of one sign, and those of the other sign are kept",
            wanted="the gradient that autograd computed, which pushes both ways",
            likely="a `clamp` or `relu` of the gradient, where its size was to be limited",
            do="limit it on both sides, or clip its norm",
            numbers=numbers,
        )
    elif altered.lost >= limits.lost and altered.uneven >= limits.uneven:
        yield Evidence(
            where=place,
            saw=f"{altered.by} changes the gradient of {altered.name}: {100 * altered.lost:.3g}% of its elements "
            f"become zero, and the others change by factors that differ by {altered.uneven:.0%}",
            wanted="gradients that survive until the step",
            cause="num-precision",
            likely="the gradients are cast to a format in which they are too small to differ from zero",
            do="keep gradients in float32, or multiply the loss by a scale first, as `torch.amp.GradScaler` does",
            numbers=numbers,
        )


CHECK = Check(
    id="FL222",
    summary="a gradient is changed after autograd has computed it",
    causes=("loss-gradient", "num-precision"),
    likely="a hook, or code between backward and step, changes signs or moves rows",
    fix="remove that code, or let it return a positive multiple of what it is given",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
