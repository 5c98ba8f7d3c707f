"""The disk has no room for one more checkpoint.

## What it sees
What is free on the disk that holds the run is less than all weights, buffers and optimizer state take.

## When it is fine
A program that keeps no checkpoints, or keeps them on another disk.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RoomTrack


class Limits(Settable):
    checkpoints: float = 1.0
    """For which there must be room."""


def find(track: RoomTrack, limits: Limits) -> Found:
    if not track.free < limits.checkpoints * track.checkpoint:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.free / 1e6:.3g} MB are free in {track.path}; weights and optimizer state take "
        f"{track.checkpoint / 1e6:.3g} MB",
        wanted=f"room for {limits.checkpoints:g} of them",
        numbers={"free": track.free, "checkpoint": track.checkpoint},
    )


CHECK = Check(
    id="FL070",
    summary="there is no room for one more checkpoint",
    causes=("env-memory",),
    likely="earlier checkpoints or logs have filled the disk",
    fix="remove earlier checkpoints now; the next save fails, or ends the run",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
