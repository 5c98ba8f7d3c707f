"""Individual steps repeatedly take many times as long as the others.

## What it sees
Of the last thousand steps, more than ten took at least five times the usual time, at irregular intervals, and a
substantial part of the total time was lost in them.

## When it is fine
Evaluations, checkpoints and new epochs come at regular intervals and are not counted. A shared machine stutters by
itself, so this is a note. Batches of very different lengths take different times.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PaceTrack

WINDOW = 1000


class Limits(Settable):
    stutters: int = 10
    """Number of slow steps in a thousand that must be exceeded."""
    share: float = 0.2
    """Share of the time of these thousand steps, lost in slow ones, that must be exceeded."""
    lost_s: float = 5.0
    """Seconds lost in all that must be exceeded; short steps on a busy machine stutter by themselves."""


def find(track: PaceTrack, limits: Limits) -> Found:
    lost_s, usual_s = track.stutters_s, track.level_s * min(WINDOW, track.steps)
    if track.stutters <= limits.stutters or not limits.lost_s < lost_s > limits.share * (usual_s + lost_s):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.stutters} of the last thousand steps took at least five times the usual {track.level_s:.3g} s, "
        f"and {lost_s:.3g} s were lost in all",
        wanted=f"at most {limits.share:.0%} of the time lost",
        numbers={"stutters": track.stutters, "lost_s": lost_s},
    )


CHECK = Check(
    id="FL383",
    summary="individual steps repeatedly take many times as long as the others",
    causes=("env-input-bound", "env-memory"),
    likely="a loader that runs dry, a cache being refilled, garbage collection, or another job on the machine",
    fix="profile a hundred steps; look at what happens at the slow ones",
    severity=Severity.NOTE,
    confidence=0.4,
    find=find,
)
