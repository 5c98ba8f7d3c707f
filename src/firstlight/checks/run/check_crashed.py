"""A check of firstlight's own failed; the others went on.

## What it sees
The check raised an exception instead of returning evidence. It is switched off for this run.

## When it is fine
Never: it is a fault of firstlight or of a plug-in, and says nothing about the program under check.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, Where
from firstlight.records.facts import CheckCrash


def find(crash: CheckCrash, _limits: NoLimits) -> Found:
    yield Evidence(where=Where(), saw=f"check `{crash.check}` raised {crash.error}", wanted="evidence or nothing")


CHECK = Check(
    id="FL001",
    summary="a check of firstlight failed and was switched off",
    causes=("unknown",),
    likely="a fault in firstlight; nothing is known about this aspect of the program",
    fix="run again with `--ignore` and the check's name; report the exception with the run directory",
    severity=Severity.NOTE,
    confidence=0.0,
    find=find,
)
