"""A kind of event that is required never comes.

## What it sees
The whole log was read, and no event of a kind that the rules require was in it. A kind with nearly the same name is
named.

## When it is fine
A run that is not over yet has no last event: validate it with rules that do not require one.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Iterator[Evidence]:
    yield from evidence_of(log, "absent")


CHECK = Check(
    id="FL803",
    name="event-absent",
    summary="a required event is not in the log",
    causes=("data-schema",),
    likely="a phase of the run was skipped, or writes its event under another name",
    fix="write the event where the phase happens, or take it out of the rules",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
