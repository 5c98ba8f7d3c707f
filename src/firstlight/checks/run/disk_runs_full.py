"""The disk has no room for another checkpoint.

## What it sees
The disk that holds the run has less free space than the weights, buffers and optimizer state take.

## When it is fine
A program that keeps no checkpoints, or keeps them on another disk.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import RoomTrack


class Limits(Settable):
    checkpoints: float = 1.0
    """Number of checkpoints for which there must be room."""


def find(track: RoomTrack, limits: Limits) -> Found:
    if not track.free < limits.checkpoints * track.checkpoint:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.free / 1e6:.3g} MB are free in {track.path}; a checkpoint of weights and optimizer state takes "
        f"{track.checkpoint / 1e6:.3g} MB",
        wanted=f"room for {limits.checkpoints:g} such checkpoint(s)",
        numbers={"free": track.free, "checkpoint": track.checkpoint},
    )


CHECK = Check(
    id="FL070",
    summary="the disk has no room for another checkpoint",
    causes=("env-memory",),
    likely="earlier checkpoints or logs have filled the disk",
    fix="remove earlier checkpoints now; otherwise the next save fails or ends the run",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
