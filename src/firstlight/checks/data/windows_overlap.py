"""The windows the model is evaluated on overlap with those it was trained on.

## What it sees
Of evaluated sequences, stretches of four places, by all their values; most of them were part of a training sequence
before, though no whole sequence was. So it is when overlapping windows of one recording are divided at random.

## When it is fine
Windows at the border between two parts share a few stretches with the other: below a third nothing is said. Silence and
padding do not count.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    pieces: int = 200
    """Fewer may be an accident."""
    share: float = 0.33
    """Of the evaluated stretches."""
    covered: float = 0.9
    """Of the trained examples: who evaluates nearly all of them evaluates everything there is, on purpose."""
    crowded: int = 2
    """Evaluations right after one another, with a step in between: those are a part of the training."""


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
        wanted="recordings, subjects or periods on one side of the split alone",
        numbers={"shared_pieces": seen.shared_pieces, "pieces": seen.pieces},
    )


CHECK = Check(
    id="FL109",
    summary="evaluated windows share their values with windows that were trained on",
    causes=("data-leak-split", "data-leak-future"),
    likely="overlapping windows were cut first and divided at random afterwards",
    fix="divide the recording (by time, subject or file) first, then cut each part into windows",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
