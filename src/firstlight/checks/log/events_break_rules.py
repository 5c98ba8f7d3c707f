"""Events of a log are not what its rules require: one never comes, or a field is missing or has another type.

## What it sees
Every event of the whole log is looked at, not only the first of its kind. A kind or a field with nearly the same name
is named. A whole number passes as a number.

## When it is fine
A run that is not over yet has no last event: validate it with rules that do not require one. Programs that read a field
fail on lines without it, and a number written as text does not sort, sum or plot.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of

ABSENT, LACKING, MISTYPED = "absent", "lacking", "mistyped"


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(
        log,
        ABSENT,
        likely="a phase of the run was skipped, or writes its event under another name",
        do="write the event where the phase happens, or take it out of the rules",
    )
    yield from evidence_of(log, LACKING)
    yield from evidence_of(
        log,
        MISTYPED,
        likely="a tensor or a formatted string was written instead of its value",
        do="write `value.item()` or `float(value)`",
    )


CHECK = Check(
    id="FL809",
    summary="a required event or field is not in the log, or a field has the wrong type",
    causes=("data-schema",),
    likely="the field is written under another name, or only in some branches of the program",
    fix="write the field in every event of this kind, null where there is no value",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    since="0.2",
)
