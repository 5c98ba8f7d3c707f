"""Examples the model is evaluated on were also trained on.

## What it sees
Every example given to the model is remembered by all its values. Of those evaluated without gradients, a part was
trained on before, exactly as it is. Batches that consist of the training set alone count where they were declared to be
new (`val=…`), or where some of the training set is all that the program ever evaluates, else not, and neither do
examples that hold so little that they coincide by chance. Where the program was not watched until it evaluates, its
rehearsal was, or a copy of it reads the loaders that it has built besides the one it trains from.

## When it is fine
Measuring the training set itself, or everything there is, is not reported. Real collections hold a few doubles: below a
hundredth nothing is said. Neither is it where pieces are cut anew at any place and come again in training twice as
often, or where a part of the evaluation has none of them: the other part measures the training text on purpose. Where
ids are trained on, and come more than once in one pass as often, the data repeat themselves: a note tells so.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen, Overlap

ALL_OF_IT = 0.8
"""How sure it is where nothing but training examples is evaluated: a few of them may be looked at on purpose."""
BY_LIKENESS = 0.6
"""How sure it is where most are only nearly alike: data of few parameters come near each other by themselves."""


class Limits(Settable):
    share: float = 0.05
    """Of the evaluated examples: from here on the score is no measure of new data."""
    hint_share: float = 0.01
    """Real collections hold fewer doubles than this."""
    examples: int = 10
    """Fewer may be an accident."""
    room_bits: float = 64.0
    """By which examples can differ: with fewer, combinations of a few categories repeat in large collections."""
    covered: float = 0.9
    """Of the trained examples: who evaluates nearly all of them evaluates everything there is, on purpose."""
    again: float = 0.5
    """Of the share of training examples that come again: pieces cut anew at any place of a recording or a text coincide
    by themselves, and do so more often among those cut from one part of it."""
    by_chance: float = 6.0
    """Pieces trained on that a part of the evaluation would have, at the share of the rest: none is then one chance in
    four hundred."""
    by_itself: float = 1.25
    """Times the share of ids trained on that come more than once in a pass: what is drawn from the same few phrases is
    among those trained on about as often."""
    crowded: int = 2
    """Evaluations right after one another, with a step in between: those are a part of the training."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    seen = feed.overlap
    if _is_part_of_training(seen, limits):
        yield Evidence(
            where=at(feed.eval_site or feed.site, module=feed.name, step=feed.step, rank=feed.rank),
            saw=f"all that is evaluated, {seen.covered:,} examples, is a part of the {seen.trained:,} trained on",
            wanted="examples on one side of the split alone",
            severity=Severity.WARNING,
            confidence=ALL_OF_IT,
            numbers={"covered": seen.covered, "trained": seen.trained},
        )
        return
    known = seen.shared + seen.near
    if known < max(limits.examples, limits.hint_share * seen.judged) or not seen.room >= limits.room_bits:
        return
    if seen.covered > limits.covered * seen.trained or feed.crowded > limits.crowded:
        return
    share = known / max(1, seen.judged)
    if not seen.whole and (not share >= limits.again * seen.again or _is_other_part(seen, limits)):
        return
    how = "exactly as they are" if not seen.near else f"{seen.near:,} of them with slightly other values"
    yield Evidence(
        where=at(feed.eval_site or feed.site, module=feed.name, step=feed.step, rank=feed.rank),
        saw=f"{known:,} of {'a sample of ' if seen.sampled else ''}{seen.judged:,} evaluated examples ({share:.1%}) "
        f"were trained on before, {how}",
        wanted="examples on one side of the split alone",
        severity=_severity(seen, share, limits),
        confidence=None if seen.shared >= seen.near else BY_LIKENESS,
        numbers={"shared": seen.shared, "near": seen.near, "judged": seen.judged, "trained": seen.trained},
    )


def _severity(seen: Overlap, share: float, limits: Limits) -> Severity:
    if share <= limits.by_itself * seen.doubled:
        return Severity.NOTE
    return Severity.ERROR if seen.shared >= limits.share * seen.judged else Severity.WARNING


def _is_part_of_training(seen: Overlap, limits: Limits) -> bool:
    """The program was seen to its end, and evaluates nothing but some of what it trained on."""
    most = limits.covered * seen.trained
    some = max(limits.examples, limits.share * seen.trained) <= seen.covered <= most
    return seen.ended and seen.whole and 0 < seen.pure == seen.calls and some and seen.room >= limits.room_bits


def _is_other_part(seen: Overlap, limits: Limits) -> bool:
    """What was evaluated in one go without a piece that was trained on is a part of its own."""
    others = max(1, seen.judged - seen.apart)
    return seen.apart * seen.shared / others >= limits.by_chance


CHECK = Check(
    id="FL150",
    summary="the model is evaluated on examples it was trained on",
    causes=("data-leak-split",),
    likely="rows were repeated, resampled or augmented before the data was split, or the split was drawn twice",
    fix="split first, then resample the training part; compare the rows of both parts by their hashes",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
