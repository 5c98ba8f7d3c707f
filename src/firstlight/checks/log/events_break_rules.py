"""Events in a log break its rules: one never occurs, or a field is missing or has the wrong type.

## What it sees
Every event in the whole log is examined, not only the first of its kind. If a kind or a field of nearly the same name
exists, it is named. An integer is accepted as a number.

## When it is fine
A run that is not over yet has no last event: validate it with rules that do not require one. Anything else matters:
programs that read a field fail on lines without it, and a number written as text does not sort, sum or plot.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of

ABSENT, LACKING, MISTYPED = "absent", "lacking", "mistyped"


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(
        log,
        ABSENT,
        likely="a phase of the run was skipped, or writes its event under another name",
        do="write the event where the phase happens, or remove it from the rules",
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
    summary="a required event or field is missing from the log, or a field has the wrong type",
    causes=("data-schema",),
    likely="the field is written under another name, or only in some branches of the program",
    fix="write the field in every event of this kind, as null where there is no value",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    since="0.2",
)
