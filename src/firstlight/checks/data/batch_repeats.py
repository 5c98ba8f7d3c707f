"""Every step trains on the same batch.

## What it sees
The model is fed equal values at many steps in a row, although they arrive in another tensor each time: one that was
made anew, or one that is kept beside the others and was meant to hold other values.

## When it is fine
Full-batch training is not reported: it feeds the same tensor again and again, or what is computed from it while the
labels stay in place, or its loader has a single batch. A deliberate overfit test that re-reads one batch at every step
looks like this fault; allow it there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Feeding


class Limits(Settable):
    repeats_in_a_row: int = 15
    """Fewest repeats in a row; whole batches do not repeat by chance, but a curriculum may have a few equal batches."""


def find(feeding: Feeding, limits: Limits) -> Found:
    if feeding.one_batch_epochs or feeding.longest_repeat < limits.repeats_in_a_row:
        return
    yield Evidence(
        where=at(feeding.site, rank=feeding.rank),
        saw=f"{feeding.longest_repeat + 1} steps in a row were fed exactly the same values",
        wanted="a different batch at each step",
        numbers={"repeats": feeding.longest_repeat, "compared": feeding.compared},
    )


CHECK = Check(
    id="FL102",
    summary="every step trains on the same batch",
    causes=("data-stale-batch",),
    likely="a generator that is seeded again at each call, `next(iter(loader))` in the loop, an index that never "
    "advances, or batches in a list that all share the memory of one buffer",
    fix="print the first rows of two successive batches; create the iterator or generator once, outside the loop",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
