"""Events appear in an impossible order.

## What it sees
The first or last event is not the required one; something begins twice, or ends without having begun; a writer's `seq`
or time goes backwards. Every rank, and every experiment on a copy of a program, counts as a separate writer.

## When it is fine
Clocks of several machines differ: give each of them its own `rank`.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(log, "order")


CHECK = Check(
    id="FL806",
    summary="events appear in an impossible order",
    causes=("data-schema",),
    likely="two runs share one file, or lines of one run were written twice",
    fix="give every run a file of its own; flush after each event",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
