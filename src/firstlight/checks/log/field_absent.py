"""Events lack a field that is required of them.

## What it sees
Every event is looked at, not only the first of its kind. A field with nearly the same name is named.

## When it is fine
Nothing: programs that read the field will fail on these lines.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Iterator[Evidence]:
    yield from evidence_of(log, "lacking")


CHECK = Check(
    id="FL804",
    name="field-absent",
    summary="events lack a required field",
    causes=("data-schema",),
    likely="the field is written under another name, or only in some branches of the program",
    fix="write the field in every event of this kind, null where there is no value",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
