"""A line of an event log is not a JSON object.

## What it sees
A line that ends with a newline does not parse as JSON, is not an object, or is longer than an event may be. Each kind
of fault is reported once, with its first line and how often it occurs.

## When it is fine
Never: tools skip such a line, and what it said is lost.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(log, "unreadable")


CHECK = Check(
    id="FL801",
    summary="a line of the log is not a JSON object",
    causes=("data-schema",),
    likely="several processes wrote through buffered files into one log, or `json.dumps` wrote NaN as a bare word",
    fix="write each event with a single `write` to a file opened for appending; write NaN as a string or null",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
