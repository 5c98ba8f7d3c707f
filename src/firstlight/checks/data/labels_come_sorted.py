"""The classes come one after the other instead of mixed.

## What it sees
At one loss function, the targets of nearly every batch are a single class, or lie within a small part of the range of
classes. Other batches hold other classes, and from step to step the classes go up, or down, in order. Each stretch of
training makes the model forget the one before.

## When it is fine
Learning one class after the other on purpose (class-incremental learning). Rare classes, batches of very few examples,
and lines that score real and fake batches in turn are not reported.
"""

from itertools import pairwise

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Labels, LossSite


class Limits(Settable):
    calls: int = 6
    """Fewest batches; fewer may hold one class by chance."""
    examples: int = 8
    """Fewest examples in a batch that counts; in smaller ones a single class is no surprise."""
    narrow: float = 0.2
    """Largest part of the range of all classes that a narrow batch may span; with up to five classes, a single
    class."""
    narrow_share: float = 0.8
    """Smallest share of the batches that are narrow; where one class ends and the next begins, a batch holds both."""
    elsewhere_share: float = 0.2
    """Smallest share of narrow batches apart from the first; a dominant class fills batches too, always the same."""
    back_share: float = 0.15
    """Largest share of the steps that go back against the order, as at the start of the next epoch."""


def find(loss: LossSite, limits: Limits) -> Found:
    batches = [batch for batch in loss.labels if batch.examples >= limits.examples]
    if len(batches) < limits.calls:
        return
    classes = max(batch.high for batch in batches) - min(batch.low for batch in batches)
    narrow = [batch for batch in batches if batch.high - batch.low <= limits.narrow * classes]
    if len(narrow) < limits.narrow_share * len(batches):
        return
    elsewhere = [batch for batch in narrow if batch.low > narrow[0].high or batch.high < narrow[0].low]
    apart = len(elsewhere) >= max(1, limits.elsewhere_share * len(batches))
    if not apart or not _in_order(narrow, limits.back_share):
        return
    single = sum(batch.low == batch.high for batch in narrow)
    kind = "a single class" if single == len(narrow) else f"at most {limits.narrow:.0%} of the range of classes"
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"{len(narrow)} of {len(batches)} batches of `{loss.function}` hold {kind}: "
        f"{_told(narrow[0], elsewhere[0])}",
        wanted="batches that mix the classes",
        numbers={"batches": len(batches), "narrow": len(narrow), "elsewhere": len(elsewhere)},
    )


def _in_order(batches: list[Labels], back_share: float) -> bool:
    """Only steps right after one another are compared; those farther apart may be in different epochs."""
    pairs = [(a, b) for a, b in pairwise(batches) if b.step - a.step == 1]
    up, down = (sum(b.low > a.low for a, b in pairs), sum(b.low < a.low for a, b in pairs))
    return bool(pairs) and min(up, down) <= back_share * len(pairs)


def _told(*batches: Labels) -> str:
    return ", ".join(f"class {batch.low:.0f} at step {batch.step}" for batch in batches)


CHECK = Check(
    id="FL104",
    summary="the training data comes sorted by class",
    causes=("data-not-shuffled",),
    likely="the dataset is stored class by class and the loader does not shuffle",
    fix="give the training loader `shuffle=True`, or permute the examples before cutting them into batches",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
