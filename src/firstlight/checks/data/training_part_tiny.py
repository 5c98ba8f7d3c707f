"""Only a handful of examples is trained on, and many times as many are evaluated.

## What it sees
The examples a model is given in training, until no new ones come, are compared with the others it is evaluated on. A
program with hundreds of examples to evaluate has more than a handful to train on: the training part was cut down on the
way.

## When it is fine
Learning from a few examples on purpose. Curves and maps drawn over a grid of one or two coordinates are not counted.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import FeedSeen


class Limits(Settable):
    trained: int = 30
    """Fewest examples that make a training set, as for declared data."""
    times: float = 8.0
    """Smallest ratio of evaluated to training examples; usual splits are the other way round."""
    values: int = 3
    """Fewest values of an example; with fewer, what is evaluated may be a grid to draw a curve from."""


def find(feed: FeedSeen, limits: Limits) -> Found:
    seen = feed.overlap
    few = seen.whole and 0 < seen.trained < limits.trained
    if not few or seen.evaluated < limits.times * seen.trained:
        return
    if any(math.prod(fed.train.shape[1:]) < limits.values for fed in feed.inputs):
        return
    yield Evidence(
        where=at(feed.site, module=feed.name, step=feed.step, rank=feed.rank),
        saw=f"{seen.trained} examples are trained on, again and again, and {seen.evaluated:,} others are evaluated",
        wanted=f"at least {limits.trained} examples to train on when there are so many",
        numbers={"trained": seen.trained, "evaluated": seen.evaluated},
    )


CHECK = Check(
    id="FL165",
    summary="only a handful of examples is trained on, and many times as many are evaluated",
    causes=("data-too-little",),
    likely="a slice, a filter or a limit meant for debugging cut the training part down",
    fix="print the size of each part where it is made",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
