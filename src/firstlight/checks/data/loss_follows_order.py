"""The loss goes up and down in the same way in every epoch, since the data come in the same order.

## What it sees
The first batch comes again after every epoch, so that nothing is shuffled; and within each of the last three epochs the
loss took the same course, with a large difference between its best and its worst stretch.

## When it is fine
Data whose order carries meaning, as a text read from its beginning to its end with a state that is carried on. It is a
note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import OrderTrack


class Limits(Settable):
    swing: float = 1.0
    """Times the level of the loss; batches in random order differ by a few tenths."""
    alike: float = 0.8
    """Rank correlation of each epoch's course with the usual one."""


def find(track: OrderTrack, limits: Limits) -> Found:
    if not track.swing > limits.swing or not track.alike > limits.alike:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"in three epochs of {track.batches} batches in the same order the loss took the same course, from its "
        f"best to its worst eighth by {track.swing:.2g} times its level",
        wanted="no course within an epoch",
        numbers={"swing": track.swing, "alike": track.alike, "batches": track.batches},
    )


CHECK = Check(
    id="FL173",
    summary="the loss takes the same course in every epoch, for nothing is shuffled",
    causes=("data-not-shuffled",),
    likely="the data are sorted, and the loader does not shuffle them",
    fix="pass `shuffle=True` to the loader",
    severity=Severity.NOTE,
    confidence=0.6,
    find=find,
)
