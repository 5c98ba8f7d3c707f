"""One term of the loss is a thousand times another.

## What it sees
Backward is called on the plain sum of several losses, and the smallest is less than a thousandth of the largest: its
gradient is noise beside the other's, and its task is hardly learnt.

## When it is fine
A term that is small because it is already solved was large at the start. Weighted sums are not judged: there
somebody has thought about it.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossTerms


class Limits(Settable):
    steps: int = 3
    """At which the sum was seen to be whole."""
    ratio: float = 1000.0
    """Largest over smallest term; tasks that go well together are within a factor of ten or so."""


def find(terms: LossTerms, limits: Limits) -> Found:
    if terms.steps < limits.steps or not terms.names or not terms.values or terms.values[0] <= 0:
        return
    least, most = terms.values[0], terms.values[-1]
    if not most > limits.ratio * least:
        return
    yield Evidence(
        where=at(terms.site, rank=terms.rank),
        saw=f"{terms.names[-1]} is {most:.3g} and {terms.names[0]} is {least:.3g}, and their plain sum is minimised",
        wanted="terms of about the same size",
        numbers={"largest": most, "smallest": least},
    )


CHECK = Check(
    id="FL215",
    summary="one term of the loss drowns another",
    causes=("loss-scale", "data-scale"),
    likely="the targets of one task are in a raw unit, or a weight between the terms is missing",
    fix="standardise the targets of the large term, or weight the terms so that they start at the same size",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    repairs=(),
)
