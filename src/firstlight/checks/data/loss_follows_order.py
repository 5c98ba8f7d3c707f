"""The loss follows the same curve in every epoch, because the data comes in the same order.

## What it sees
The first batch comes again after every epoch, so nothing is shuffled. Within each of the last three epochs the loss
followed the same curve, with a large difference between its best and its worst stretch.

## When it is fine
Data whose order has a meaning, such as a text read from beginning to end with a state that is carried on. That is why
it is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import OrderTrack


class Limits(Settable):
    swing: float = 1.0
    """Smallest difference of the best and the worst eighth of an epoch, over the level of the loss; batches in random
    order differ by a few tenths."""
    alike: float = 0.8
    """Smallest rank correlation of each epoch's curve with the usual one."""


def find(track: OrderTrack, limits: Limits) -> Found:
    if not track.swing > limits.swing or not track.alike > limits.alike:
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"in three epochs of {track.batches} batches in the same order the loss followed the same curve; its "
        f"best and worst eighths differ by {track.swing:.2g} times its level",
        wanted="no curve that repeats in every epoch",
        numbers={"swing": track.swing, "alike": track.alike, "batches": track.batches},
    )


CHECK = Check(
    id="FL173",
    summary="the loss follows the same curve in every epoch, because nothing is shuffled",
    causes=("data-not-shuffled",),
    likely="the data is sorted, and the loader does not shuffle it",
    fix="pass `shuffle=True` to the loader",
    severity=Severity.NOTE,
    confidence=0.6,
    find=find,
)
