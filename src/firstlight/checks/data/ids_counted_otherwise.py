"""Evaluation gives the model other ids for the same tokens than training.

## What it sees
How often each whole number comes among the inputs of the same model, in training and in evaluation. The shares of
evaluation are those that other numbers have in training, all of them as far away: one more, or a few less.

## When it is fine
Another text has other shares, and no offset makes them alike. Lengths, positions and other measures, whose shares are
much like those of their neighbours, are not judged, and neither are fewer than eight different ids.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    ids: int = 200
    """On either side, before their shares say something."""
    kinds: int = 8
    """Different ids on either side; what has few of them, such as years, may go on where training ends."""
    surprise: float = 0.1
    """Nats an id by which those of evaluation lie away from training, counted from any number but one; lengths and
    other measures, whose shares are like those of their neighbours, stay below."""
    moved: float = 0.4
    """Of that, what is left at the most once they are counted from that number."""
    crowded: int = 2
    """Evaluations right after one another, with a step in between: those are a part of the training."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    for ids in feed.ids if feed.crowded <= limits.crowded else ():
        enough = ids.counted >= limits.ids and ids.kinds >= limits.kinds
        if ids.offset and enough and ids.others >= limits.surprise and ids.moved <= limits.moved * ids.others:
            way = "higher" if ids.offset > 0 else "lower"
            yield Evidence(
                where=at(feed.eval_site or feed.site, module=feed.name, rank=feed.rank),
                saw=f"the ids of `{ids.name}` lie {ids.own:.2f} nats an id away from those of training, and "
                f"{max(0.0, ids.moved):.2f} if they are taken to be {abs(ids.offset)} {way} than there",
                wanted="the same id for the same token in training and in evaluation",
                numbers={"own": ids.own, "moved": ids.moved, "offset": ids.offset},
            )


CHECK = Check(
    id="FL176",
    summary="evaluation gives the model other ids for the same tokens than training",
    causes=("data-tokenizer",),
    likely="one side counts its ids from another number, or has other special tokens",
    fix="make the ids of both sides with one vocabulary and one function",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
