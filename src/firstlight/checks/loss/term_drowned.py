"""One term of the loss is more than a thousand times as large as another.

## What it sees
Backward is called on the plain sum of several losses, and the smallest is less than a thousandth of the largest. Its
gradient is noise next to the other's, and its task is hardly learned.

## When it is fine
A term that is small because its task is already solved was large at the start. Weighted sums are not judged: somebody
has chosen the weights.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossTerms


class Limits(Settable):
    steps: int = 3
    """Fewest steps at which the sum was observed in full."""
    ratio: float = 1000.0
    """Largest ratio of the largest to the smallest term; tasks that train well together are within a factor of about
    ten."""


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
    fix="standardize the targets of the large term, or weight the terms so that they start at the same size",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    repairs=(),
)
