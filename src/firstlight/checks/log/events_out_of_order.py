"""Events come in an order that cannot be.

## What it sees
The first or last event is not the one required; something begins twice or ends without having begun; a writer's `seq`
or time goes back. Every rank, and every experiment on a copy of a program, is a writer of its own.

## When it is fine
Clocks of several machines differ: give each of them its own `rank`.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(log, "order")


CHECK = Check(
    id="FL806",
    summary="events come in an order that cannot be",
    causes=("data-schema",),
    likely="two runs share one file, or lines of one run were written twice",
    fix="give every run a file of its own; flush after each event",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
