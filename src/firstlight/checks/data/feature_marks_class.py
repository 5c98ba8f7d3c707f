"""A feature is out of the ordinary in examples of one class alone, however uncertain the rest leaves the class.

## What it sees
In a sample of the training examples, a feature has its usual value (zero, empty, a fill value) in all examples but some
of one class. There, which is in most of that class, the class is certain, although a plain fit to the other features
expects many exceptions. Such a column was filled in because of the outcome: a fee, a date, a reason.

## When it is fine
A rule in the data may have the feature among its conditions. What is left of a rule once those rows are set aside is
clearer than before, and it is not reported; what is left of a noisy outcome is not clearer. Nor are words that mark
their topics, each another one. A sign that never fails, and is known in time, is a good feature: allow it there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import Marked, Relations


class Limits(Settable):
    covered: float = 0.5
    """Smallest share of a class in which the feature is out of the ordinary; rarer signs may be honest."""
    foreseen: float = 20.0
    """Fewest exceptions that the other features expect; by luck alone, none would come once in 10⁸ times."""
    exceptions: float = 0.05
    """Largest share of those that may really occur; strong honest features leave a third."""
    rest: float = 6.0
    """Fewest standard deviations from chance by which the others relate to the class; else it is a rule on one
    feature."""
    clearer: float = 0.1
    """Largest gain in correlation once those rows are set aside; rules gain a quarter."""
    unclear: float = 0.85
    """Largest correlation of what is foretold with what is left then; tasks without noise come close to 1."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, marked = relations.seen, relations.seen.marked
    if seen.acting or not _is_mark(marked, limits):
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"feature {marked.column} of {marked.of} has another value than usual in {marked.rows:,} examples, which "
        f"are {marked.covered:.0%} of class {marked.kind}: {marked.exceptions:,} of them are of another class, where "
        f"the other features expect {marked.foreseen:.0f}",
        wanted="features that are known before the target is",
        numbers={"column": marked.column, "covered": marked.covered, "foreseen": marked.foreseen},
    )


def _is_mark(marked: Marked, limits: Limits) -> bool:
    certain = marked.foreseen >= limits.foreseen and marked.exceptions <= limits.exceptions * marked.foreseen
    most = marked.covered >= limits.covered and marked.rest >= limits.rest
    noisy = marked.clear_without <= limits.unclear and marked.clear_without <= marked.clear + limits.clearer
    return certain and most and noisy and marked.other_classes == 0


CHECK = Check(
    id="FL194",
    summary="a feature is out of the ordinary in one class alone",
    causes=("data-leak-target", "data-leak-future"),
    likely="the feature is filled in because of the outcome, or after it",
    fix="find out when the feature is recorded; leave it out and train again: an honest score will be lower",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    since="0.2",
)
