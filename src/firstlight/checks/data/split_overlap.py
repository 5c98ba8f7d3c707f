"""Examples the model is evaluated on were also trained on.

## What it sees
Every example given to the model is remembered by all its values. Of those evaluated without gradients, a part was
trained on before, exactly as it is. Each evaluation is judged by itself, by its line and its loader: measuring all at
the end hides nothing. Batches of the training set alone count where they were declared to be new (`val=…`), where the
program names them so (`test_loader`, `x_val`: the training set, loaded again), or where some of it is all that is ever
evaluated, else not, and neither do examples that hold so little that they coincide by chance. Where the program was
not watched until it evaluates, its rehearsal was, or a copy of it reads the loaders that it does not train from.

## When it is fine
Measuring the training set itself, or everything there is, is not reported. Real collections hold a few doubles: below a
hundredth nothing is said. Neither is it where pieces are cut anew at any place and come again in training twice as
often, or where a part of the evaluation has none of them: the other part measures the training text on purpose. Where
ids are trained on, and come more than once in one pass as often, the data repeat themselves: a note tells so.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen, Overlap, PartEvaluated

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
    """Pieces trained on that a part of the evaluation would have, at the share of the rest: one chance in 400."""
    by_itself: float = 1.25
    """Times the share of ids trained on that come more than once in a pass: what is drawn from the same few phrases is
    among those trained on about as often."""
    on_purpose: float = 0.8
    """Of one evaluation, trained on before: more, and without a name that says otherwise, it is the training set."""
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
    elif feed.crowded <= limits.crowded and seen.room >= limits.room_bits:
        alone = [part for part in feed.parts if _is_told_by_itself(seen, part, limits)]
        if _is_told(seen, limits):
            yield _evidence(feed, PartEvaluated(site=None, judged=seen.judged, shared=seen.shared), seen.near, limits)
        elif alone:
            yield _evidence(feed, max(alone, key=lambda part: (part.shared, part.name)), 0, limits)


def _is_told(seen: Overlap, limits: Limits) -> bool:
    known = seen.shared + seen.near
    if known < max(limits.examples, limits.hint_share * seen.judged) or seen.covered > limits.covered * seen.trained:
        return False
    return seen.whole or (known >= limits.again * seen.again * seen.judged and seen.by_chance < limits.by_chance)


def _is_told_by_itself(seen: Overlap, part: PartEvaluated, limits: Limits) -> bool:
    """Pieces that are cut anew have no training set to compare with: those are judged all together."""
    if not seen.whole or part.shared < max(limits.examples, limits.hint_share * part.judged):
        return False
    if part.shared < limits.on_purpose * part.judged:
        return bool(part.name) or part.covered <= limits.covered * seen.trained
    return bool(part.name) and part.covered >= limits.share * seen.trained


def _evidence(feed: FeedSeen, part: PartEvaluated, near: int, limits: Limits) -> Evidence:
    seen, known = feed.overlap, part.shared + near
    share = known / max(1, part.judged)
    how = "exactly as they are" if not near else f"{near:,} of them with slightly other values"
    named = f" of `{part.name}`" if part.name else ""
    severity = Severity.ERROR if part.shared >= limits.share * part.judged else Severity.WARNING
    return Evidence(
        where=at(part.site or feed.eval_site or feed.site, module=feed.name, step=feed.step, rank=feed.rank),
        saw=f"{known:,} of {'a sample of ' if seen.sampled else ''}{part.judged:,} evaluated examples{named} "
        f"({share:.1%}) were trained on before, {how}",
        wanted="examples on one side of the split alone",
        severity=Severity.NOTE if share <= limits.by_itself * seen.doubled else severity,
        confidence=None if part.shared >= near else BY_LIKENESS,
        numbers={"shared": part.shared, "near": near, "judged": part.judged, "trained": seen.trained},
    )


def _is_part_of_training(seen: Overlap, limits: Limits) -> bool:
    """The program was seen to its end, and evaluates nothing but some of what it trained on."""
    most = limits.covered * seen.trained
    some = max(limits.examples, limits.share * seen.trained) <= seen.covered <= most
    return seen.ended and seen.whole and 0 < seen.pure == seen.calls and some and seen.room >= limits.room_bits


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
