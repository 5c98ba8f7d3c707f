"""One of firstlight's checks failed; the others went on.

## What it sees
The check raised an exception instead of returning evidence. It is switched off for this run.

## When it is fine
Never: this is a bug in firstlight or in a plug-in, and says nothing about the program being checked.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, Where
from firstlight.records.facts import CheckCrash


def find(crash: CheckCrash, _limits: NoLimits) -> Found:
    yield Evidence(where=Where(), saw=f"check `{crash.check}` raised {crash.error}", wanted="evidence or nothing")


CHECK = Check(
    id="FL001",
    summary="a check of firstlight failed and was switched off",
    causes=("unknown",),
    likely="a bug in firstlight or a plug-in; this aspect of the program was not checked",
    fix="run again with `--ignore` and the check's name, and report the exception along with the run directory",
    severity=Severity.NOTE,
    confidence=0.0,
    find=find,
)
