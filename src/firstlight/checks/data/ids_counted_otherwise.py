"""The same tokens have different ids in evaluation than in training.

## What it sees
How often each id occurs among the inputs of the same model is compared between training and evaluation. The frequencies
in evaluation are those that other ids have in training, all at the same offset: one higher, or a few lower.

## When it is fine
Another text has other frequencies, and no offset makes them match. Lengths, positions and other measurements, whose
frequencies are much like those of neighboring numbers, are not judged, nor are inputs with fewer than eight different
ids.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    ids: int = 200
    """Fewest ids on either side; with fewer, frequencies say little."""
    kinds: int = 8
    """Fewest different ids on either side; what has few, such as years, may continue where training ends."""
    surprise: float = 0.1
    """Smallest distance of evaluation from training, in nats per id, at every other offset, zero included; lengths and
    other measurements, whose frequencies are like those of their neighbors, stay below."""
    moved: float = 0.4
    """Largest distance at the best offset, relative to that at the others."""
    crowded: int = 2
    """Most evaluations in a row with just one step in between; with more, they are part of the training."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    for ids in feed.ids if feed.crowded <= limits.crowded else ():
        enough = ids.counted >= limits.ids and ids.kinds >= limits.kinds
        if ids.offset and enough and ids.others >= limits.surprise and ids.moved <= limits.moved * ids.others:
            way = "higher" if ids.offset > 0 else "lower"
            yield Evidence(
                where=at(feed.eval_site or feed.site, module=feed.name, rank=feed.rank),
                saw=f"the ids of `{ids.name}` are {ids.own:.2f} nats per id away from those of training, but only "
                f"{max(0.0, ids.moved):.2f} if the ids are taken to be {abs(ids.offset)} {way} than there",
                wanted="the same id for the same token in training and in evaluation",
                numbers={"own": ids.own, "moved": ids.moved, "offset": ids.offset},
            )


CHECK = Check(
    id="FL176",
    summary="the same tokens have different ids in evaluation than in training",
    causes=("data-tokenizer",),
    likely="one side starts counting its ids at another number, or has different special tokens",
    fix="make the ids of both sides with the same vocabulary and the same function",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
