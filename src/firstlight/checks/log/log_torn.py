"""The last line of an event log is cut off.

## What it sees
What follows the last newline is not a complete JSON object: the writer was stopped in the middle of a line.

## When it is fine
A log that is still being written to. Only the unfinished line is affected; everything before it is intact.
"""

from firstlight.checks.declare import Check, Found, NoLimits, Severity
from firstlight.records.log import LogSeen, evidence_of


def find(log: LogSeen, _limits: NoLimits) -> Found:
    yield from evidence_of(log, "torn")


CHECK = Check(
    id="FL802",
    summary="the last line of the log is cut off",
    causes=("unknown",),
    likely="the writer was killed, or the disk was full",
    fix="find out what ended the run; the events before this line are intact",
    severity=Severity.WARNING,
    confidence=0.5,
    find=find,
)
