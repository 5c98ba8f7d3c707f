"""The loader gives the same batch again and again.

## What it sees
After many different batches, the last ones are all the same.

## When it is fine
A run on a single batch from its first step on is full-batch training, or a test, and not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import FeedTrack


class Limits(Settable):
    steps: int = 20
    """In a row with the same batch."""
    distinct: int = 5
    """Different batches seen before."""


def find(track: FeedTrack, limits: Limits) -> Found:
    if track.same < limits.steps or track.distinct < limits.distinct:
        return
    yield Evidence(
        where=Where(step=track.step - track.same + 1, rank=track.rank),
        saw=f"the last {track.same} steps were fed the same batch; before, there had been at least {track.distinct} "
        f"others",
        wanted="a new batch at every step",
        numbers={"same": track.same, "distinct": track.distinct},
    )


CHECK = Check(
    id="FL170",
    summary="the loader gives the same batch again and again",
    causes=("data-stale-batch",),
    likely="an iterator that is no longer advanced, a worker or a stream that hangs, or a cache that returns its "
    "last entry",
    fix="print the first values of three batches in a row; look at how the iterator is restarted",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
