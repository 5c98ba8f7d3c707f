"""Examples that the model is evaluated on were also trained on.

## What it sees
Every example given to the model is remembered by all its values. A part of those evaluated without gradients was
trained on before, exactly as it is. Each evaluation is judged separately, by its line and its loader: measuring all
data at the end hides nothing. Batches of training examples only count if they were declared to be new (`val=…`), if the
program names them so (`test_loader`, `x_val`: the training set, loaded again), or if nothing else is ever evaluated.
Examples that hold so little that they coincide by chance do not count. If the program was not watched until it
evaluates, its rehearsal was, or a copy of it reads the loaders that it does not train from.

## When it is fine
Measuring the training set itself, or everything there is, is not reported. Real datasets hold a few duplicates: below
one percent nothing is reported. Nor is it if pieces are cut at random places and repeat in training twice as often, or
if part of the evaluation has none of them: the other part then measures the training text on purpose. If ids are
trained on and repeat as often within one pass, the data repeats itself, which gives a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen, Overlap, PartEvaluated

ALL_OF_IT = 0.8
"""Confidence if nothing but training examples is evaluated; a few of them may be looked at on purpose."""
BY_LIKENESS = 0.6
"""Confidence if most are only nearly equal; data with few parameters come close to each other by themselves."""


class Limits(Settable):
    share: float = 0.05
    """Share of the evaluated examples for an error; from here on the score no longer measures new data."""
    hint_share: float = 0.01
    """Smallest share that is reported; real datasets hold fewer duplicates."""
    examples: int = 10
    """Fewest examples on both sides; fewer may be an accident."""
    room_bits: float = 64.0
    """Fewest bits by which examples can differ; with fewer, combinations of a few categories repeat by chance."""
    covered: float = 0.9
    """Largest share of the training examples that is evaluated; beyond it, everything is evaluated, on purpose."""
    again: float = 0.5
    """Smallest overlap over the share of training examples that repeat; pieces cut at random places of a recording or a
    text coincide by themselves, and more often if they come from the same part of it."""
    by_chance: float = 6.0
    """Most overlaps expected, at the rate of the rest, in a part of the evaluation with none: one chance in 400."""
    by_itself: float = 1.25
    """Largest ratio, for a note, of the overlap to the share of ids that repeat within a pass; what is made of the same
    few phrases overlaps about as often."""
    on_purpose: float = 0.8
    """Share of one evaluation from which on it is the training set itself, unless its name says otherwise."""
    crowded: int = 2
    """Most evaluations right after one another, with one step in between; with more, they are part of the training."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    seen = feed.overlap
    if _is_part_of_training(seen, limits):
        yield Evidence(
            where=at(feed.eval_site or feed.site, module=feed.name, step=feed.step, rank=feed.rank),
            saw=f"all {seen.covered:,} evaluated examples are among the {seen.trained:,} trained on",
            wanted="examples on one side of the split only",
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
    """Pieces cut at random places have no fixed training set to compare with: they are only judged all together."""
    if not seen.whole or part.shared < max(limits.examples, limits.hint_share * part.judged):
        return False
    if part.shared < limits.on_purpose * part.judged:
        return bool(part.name) or part.covered <= limits.covered * seen.trained
    return bool(part.name) and part.covered >= limits.share * seen.trained


def _evidence(feed: FeedSeen, part: PartEvaluated, near: int, limits: Limits) -> Evidence:
    seen, known = feed.overlap, part.shared + near
    share = known / max(1, part.judged)
    how = "exactly as they are" if not near else f"{near:,} of them with slightly different values"
    named = f" of `{part.name}`" if part.name else ""
    severity = Severity.ERROR if part.shared >= limits.share * part.judged else Severity.WARNING
    return Evidence(
        where=at(part.site or feed.eval_site or feed.site, module=feed.name, step=feed.step, rank=feed.rank),
        saw=f"{known:,} of {'a sample of ' if seen.sampled else ''}{part.judged:,} evaluated examples{named} "
        f"({share:.1%}) were trained on before, {how}",
        wanted="examples on one side of the split only",
        severity=Severity.NOTE if share <= limits.by_itself * seen.doubled else severity,
        confidence=None if part.shared >= near else BY_LIKENESS,
        numbers={"shared": part.shared, "near": near, "judged": part.judged, "trained": seen.trained},
    )


def _is_part_of_training(seen: Overlap, limits: Limits) -> bool:
    """The program was watched to its end, and evaluates nothing but some of what it trained on."""
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
