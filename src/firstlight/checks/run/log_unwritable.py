"""The event log of the run cannot be written where it is meant to be.

## What it sees
An event was written beside the declared log, synced and read back; that failed, or the disk is nearly full.

## When it is fine
A path that exists only on the machine of the long run: leave `log` out of the declaration here.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.declared import LogTried


class Limits(Settable):
    free_megabytes: float = 200.0
    """A day of events at ten a second, twice over."""


def find(tried: LogTried, limits: Limits) -> Found:
    free = tried.free_bytes / 1e6
    if not (tried.written and tried.read_back):
        yield Evidence(
            where=Where(file=tried.path),
            saw=f"an event could not be {'read back from' if tried.written else 'written to'} {tried.path}: "
            f"{tried.error or 'what was read differs'}",
            wanted="an event that is written and read back",
        )
    elif free < limits.free_megabytes:
        yield Evidence(
            where=Where(file=tried.path),
            saw=f"{free:.0f} MB are free where the log goes",
            wanted=f"at least {limits.free_megabytes:.0f} MB",
            severity=Severity.WARNING,
            do="free space on that disk, or log to another one",
            numbers={"free_megabytes": free},
        )


CHECK = Check(
    id="FL032",
    summary="the event log cannot be written where the run will write it",
    causes=("unknown",),
    likely="the folder, or the one it is to be made in, belongs to somebody else, or the path names a directory",
    fix="choose a path that can be written to",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
