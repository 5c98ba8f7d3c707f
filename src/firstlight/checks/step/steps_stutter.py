"""Single steps take many times as long as the others, again and again.

## What it sees
Of the last thousand steps more than ten took five times the usual time, in no rhythm, and a good part of all the time
went into them.

## When it is fine
Evaluations, checkpoints and new epochs come in a rhythm and are not counted. A machine shared with others stutters by
itself: it is a note. Batches of very different length take different times.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import PaceTrack

WINDOW = 1000


class Limits(Settable):
    stutters: int = 10
    """In a thousand steps."""
    share: float = 0.2
    """Of the time of the window that was lost by them."""
    lost_s: float = 5.0
    """In all; short steps on a machine with other work stutter by themselves."""


def find(track: PaceTrack, limits: Limits) -> Found:
    lost_s, usual_s = track.stutters_s, track.level_s * min(WINDOW, track.steps)
    if track.stutters <= limits.stutters or not limits.lost_s < lost_s > limits.share * (usual_s + lost_s):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"{track.stutters} of the last thousand steps took five times the usual {track.level_s:.3g} s and more, "
        f"{lost_s:.3g} s in all",
        wanted=f"less than {limits.share:.0%} of the time lost",
        numbers={"stutters": track.stutters, "lost_s": lost_s},
    )


CHECK = Check(
    id="FL383",
    summary="single steps take many times as long as the others",
    causes=("env-input-bound", "env-memory"),
    likely="a loader that runs dry, a cache that is filled anew, garbage collection, or another job on the machine",
    fix="profile a hundred steps; look at what happens at the slow ones",
    severity=Severity.NOTE,
    confidence=0.4,
    find=find,
)
