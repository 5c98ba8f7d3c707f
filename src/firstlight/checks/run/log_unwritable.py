"""The event log cannot be written to its declared location.

## What it sees
A test event was written next to the declared log, synced and read back. This failed, or the disk is nearly full.

## When it is fine
A path that exists only on the machine of the long run: leave `log` out of the declaration here.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.declared import LogTried


class Limits(Settable):
    free_megabytes: float = 200.0
    """Least free space for the log, in MB: twice the size of a day of events at ten per second."""


def find(tried: LogTried, limits: Limits) -> Found:
    free = tried.free_bytes / 1e6
    if not (tried.written and tried.read_back):
        yield Evidence(
            where=Where(file=tried.path),
            saw=f"an event could not be {'read back from' if tried.written else 'written to'} {tried.path}: "
            f"{tried.error or 'what was read differs'}",
            wanted="an event that can be written and read back",
        )
    elif free < limits.free_megabytes:
        yield Evidence(
            where=Where(file=tried.path),
            saw=f"only {free:.0f} MB are free where the log goes",
            wanted=f"at least {limits.free_megabytes:.0f} MB",
            severity=Severity.WARNING,
            do="free space on that disk, or log to another one",
            numbers={"free_megabytes": free},
        )


CHECK = Check(
    id="FL032",
    summary="the event log cannot be written where the run will write it",
    causes=("unknown",),
    likely="the folder or its parent belongs to another user, or the path is a directory",
    fix="choose a writable path",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
