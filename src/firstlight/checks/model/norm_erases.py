"""A normalization layer erases its input.

## What it sees
The input of a normalization layer differs from example to example, but its output is the same for all of them, look
after look: it normalizes groups of a single value, each of which becomes zero.

## When it is fine
Never, if it lasts. A layer whose scale starts at zero to switch off a branch is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.inner import Erased


class Limits(Settable):
    looks: int = 3
    """Fewest looks in a row; a single batch may be constant by itself."""


def find(erased: Erased, limits: Limits) -> Found:
    if erased.looks < limits.looks:
        return
    yield Evidence(
        where=at(erased.site, step=erased.step, rank=erased.rank, module=erased.module),
        saw=f"`{erased.module}` ({erased.kind}) gets values of shape {erased.shape} that differ between examples, "
        "and its output is the same for every example",
        wanted="an output that still differs between examples",
        numbers={"looks": erased.looks},
    )


CHECK = Check(
    id="FL415",
    summary="a normalization layer erases its input",
    causes=("arch-norm",),
    likely="it normalizes over an axis of length 1, so that every value is its own mean",
    fix="normalize over the axis of the features (or time), not over one of length 1; leave it out for single values",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
