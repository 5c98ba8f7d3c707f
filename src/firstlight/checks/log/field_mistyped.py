"""A field of an event has another type than is required.

## What it sees
A required field is there but holds, say, a string where a number is required. A whole number passes as a number.

## When it is fine
Nothing: a number written as text does not sort, sum or plot.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Iterator[Evidence]:
    yield from evidence_of(log, "mistyped")


CHECK = Check(
    id="FL805",
    name="field-mistyped",
    summary="a field of an event has the wrong type",
    causes=("data-schema",),
    likely="a tensor or a formatted string was written instead of its value",
    fix="write `value.item()` or `float(value)`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
