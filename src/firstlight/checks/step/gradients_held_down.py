"""A hook, or the program itself, shrinks the gradients to almost nothing.

## What it sees
Gradients are compared before and after hooks on tensors, parameters and modules, and between the backward and the step,
whatever changes them there. Less than a hundredth of a gradient's norm is left, and a limit is what removes the rest:
most elements end at the same size, or the fraction that is left changes from look to look. A copy of the program with
the original gradients put back decides: this is reported if that copy learns and the program hardly does.

## When it is fine
Adam and similar optimizers divide by the size of the gradient, so it hardly matters: there the copy learns no more than
the program. Masks, reversals and constant factors are not limits, and the copy keeps them.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import AlteredSeen


class Limits(Settable):
    times: int = 6
    """Fewest times that it was seen; cutting a single large gradient is what limits are for."""
    kept: float = 0.01
    """Fraction of the norm that is left, below which the check speaks: as tight as in `clip-starves` (FL310)."""
    bounded: float = 0.5
    """Smallest share of the elements that end at the same size for it to count as a limit."""
    varies: float = 1.5
    """Smallest ratio between the largest and the smallest fraction left for it to be a limit; a factor is constant."""
    turned: float = 0.01
    """Largest share of the squared norm with its sign flipped; `gradient-altered` (FL222) reports more than that."""


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
    summary="gradients are cut to almost nothing before the step",
    causes=("hp-clip",),
    likely="a limit on single elements or tensors, meant for gradients of another scale",
    fix="raise the limit to about the largest element of a usual gradient, or clip the total norm instead",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.75,
    repairs=("unclipped",),
    find=find,
)
