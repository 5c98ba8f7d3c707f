"""The same batch comes at every step.

## What it sees
The values given to the model were equal at many steps in a row, although they were in newly made tensors each time.

## When it is fine
Full-batch training feeds the same tensor again and again, or what is computed from it beside answers that stay where
they are, or has a loader with a single batch: none of these is reported. A deliberate overfit test on one batch that
re-reads it looks the same; allow it there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Feeding


class Limits(Settable):
    repeats_in_a_row: int = 15
    """Chance repeats of whole batches do not happen; a curriculum of a few equal batches does."""


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
    likely="a generator seeded anew at each call, `next(iter(loader))` inside the loop, or an index that never moves",
    fix="print the first rows of two successive batches; make the iterator or the generator once, outside the loop",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
