"""A number in the log is NaN or infinite.

## What it sees
In an otherwise valid event, a field that must be a number is one of the strings that stand for NaN or infinity.

## When it is fine
A metric that is undefined by nature (a ratio with a denominator of zero): write null there.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(log, "nonfinite")


CHECK = Check(
    id="FL808",
    summary="a number in the log is NaN or infinite",
    causes=("num-nonfinite",),
    likely="the run diverged, or a metric divided by zero",
    fix="look at the first such line; the cause lies in what came just before it",
    severity=Severity.WARNING,
    confidence=0.7,
    find=find,
)
