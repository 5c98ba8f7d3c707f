"""The loader returns the same batch again and again.

## What it sees
The run began with many different batches, but the last ones are all the same.

## When it is fine
A run that uses a single batch from its first step on is full-batch training, or a test, and is not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import FeedTrack


class Limits(Settable):
    steps: int = 20
    """Fewest steps in a row with the same batch."""
    distinct: int = 5
    """Fewest different batches seen before."""


def find(track: FeedTrack, limits: Limits) -> Found:
    if track.same < limits.steps or track.distinct < limits.distinct:
        return
    yield Evidence(
        where=Where(step=track.step - track.same + 1, rank=track.rank),
        saw=f"the last {track.same} steps were fed the same batch; before that, there were at least "
        f"{track.distinct} different ones",
        wanted="a new batch at every step",
        numbers={"same": track.same, "distinct": track.distinct},
    )


CHECK = Check(
    id="FL170",
    summary="the loader returns the same batch again and again",
    causes=("data-stale-batch",),
    likely="the iterator no longer advances, a worker or a stream hangs, or a cache returns its last entry",
    fix="print the first values of three batches in a row, and look at where the iterator is restarted",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
