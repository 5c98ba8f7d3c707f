"""A normalisation layer erases what it is given.

## What it sees
The input of a normalisation layer differs from example to example, and its output is the same for all of them, look
after look: it normalises groups of a single value, each of which becomes zero.

## When it is fine
Never where it lasts. A layer whose scale starts at zero to switch off a branch is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.inner import Erased


class Limits(Settable):
    looks: int = 3
    """In a row; a single batch may be constant by itself."""


def find(erased: Erased, limits: Limits) -> Found:
    if erased.looks < limits.looks:
        return
    yield Evidence(
        where=at(erased.site, step=erased.step, rank=erased.rank, module=erased.module),
        saw=f"`{erased.module}` ({erased.kind}) is given values of shape {erased.shape} that differ between examples, "
        "and gives the same for every example",
        wanted="an output that still tells examples apart",
        numbers={"looks": erased.looks},
    )


CHECK = Check(
    id="FL415",
    summary="a normalisation layer erases what it is given",
    causes=("arch-norm",),
    likely="it normalises over an axis of length 1, so that every value is its own mean",
    fix="normalise over the axis of the features (or time), not over one of length 1; leave it out for single values",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
