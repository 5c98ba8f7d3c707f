"""The windows the model is evaluated on overlap with those it was trained on.

## What it sees
Stretches of four positions of the evaluated sequences, by all their values: at least a third of them were part of a
training sequence before, even if no whole sequence was. This happens when overlapping windows of one recording are
split at random.

## When it is fine
Windows at the border between two parts share a few stretches: below a third nothing is reported. Silence and padding do
not count.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    pieces: int = 200
    """Fewest stretches; fewer may be an accident."""
    share: float = 0.33
    """Smallest share of the evaluated stretches."""
    covered: float = 0.9
    """Largest share of the training examples that is evaluated; beyond it, everything is evaluated, on purpose."""
    crowded: int = 2
    """Most evaluations in a row with just one step in between; with more, they are part of the training."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    seen = feed.overlap
    if seen.pieces < limits.pieces or not seen.shared_pieces >= limits.share or feed.crowded > limits.crowded:
        return
    if seen.covered > limits.covered * seen.trained:
        return
    yield Evidence(
        where=at(feed.eval_site or feed.site, module=feed.name, step=feed.step, rank=feed.rank),
        saw=f"{seen.shared_pieces:.0%} of {seen.pieces:,} stretches of the evaluated sequences were part of a sequence "
        "that was trained on",
        wanted="recordings, subjects or periods on one side of the split only",
        numbers={"shared_pieces": seen.shared_pieces, "pieces": seen.pieces},
    )


CHECK = Check(
    id="FL109",
    summary="evaluated windows share their values with windows that were trained on",
    causes=("data-leak-split", "data-leak-future"),
    likely="overlapping windows were cut first and split at random afterwards",
    fix="split the recordings (by time, subject or file) first, then cut each part into windows",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
