"""A hook, or the program itself, leaves next to nothing of the gradients.

## What it sees
What hooks on tensors, parameters and modules make of the gradient they are given, and what becomes of the gradients
between the backward and the step, whatever is called for it: less than a hundredth of its length is left, and it is a
limit that takes the rest, because most elements end at one and the same size, or because the part that is left changes
from look to look. A copy of the program in which what was made smaller is put back decides: it is reported when that
copy learns and the program hardly does.

## When it is fine
Adam and its like divide by the size of the gradient and hardly notice: there the copy learns no more than the program.
Masks, reversals and constant factors are no limits, and are left as they are in the copy.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import AlteredSeen


class Limits(Settable):
    times: int = 6
    """That it was seen; a single long gradient is what limits are for."""
    kept: float = 0.01
    """Of its length: as tight as a limit on the norm that `clip-starves` (FL310) tells of."""
    bounded: float = 0.5
    """Share of the elements that end at the limit."""
    varies: float = 1.5
    """The largest part that was left over the smallest; a factor leaves the same of each."""
    turned: float = 0.01
    """Share of the square that points the other way; more is told by `gradient-altered` (FL222)."""


def find(altered: AlteredSeen, limits: Limits) -> Found:
    if altered.times < limits.times or not (altered.kept < limits.kept and altered.flipped <= limits.turned):
        return
    bounded = altered.bounded >= limits.bounded
    if not (bounded or altered.varies >= limits.varies):
        return
    how = f", and {altered.bounded:.0%} of its elements end at the same limit" if bounded else ""
    yield Evidence(
        where=at(altered.site, step=altered.step, rank=altered.rank),
        saw=f"{altered.by} leaves {altered.kept:.2g} of the length of the gradient of {altered.name}{how}",
        wanted=f"a limit that only rare spikes reach; at least {limits.kept:g} of the usual length",
        numbers={"kept": altered.kept, "bounded": altered.bounded, "varies": altered.varies},
    )


CHECK = Check(
    id="FL320",
    summary="next to nothing of the gradients is left for the step",
    causes=("hp-clip",),
    likely="a limit for single elements or tensors, meant for another scale of gradients",
    fix="raise the limit to about the largest element of a usual gradient, or clip the norm of all together",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.75,
    repairs=("unclipped",),
    find=find,
)
