"""A line of an event log is not a JSON object.

## What it sees
A line with a newline at its end does not parse as JSON, is no object, or is longer than any event may be. Each kind of
fault is told once, with its first line and how often it comes.

## When it is fine
Nothing reads such a line: tools skip it, and what it said is lost.
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
    fix="write each event with one `write` on a file opened for appending; write NaN as a string or null",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
