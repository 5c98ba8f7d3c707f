"""Every pass over the data has the same batches in the same order.

## What it sees
In the first steps of the second pass, the model is fed exactly the same values as in the first steps of the first pass.

## When it is fine
Examples that are independent of each other and well mixed lose little by it, and sequences whose order matters need it.
That is why it is a note. It also tests a warning that was read from the source alone: a dataset that draws new examples
each time never repeats an order, shuffled or not.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Passes


class Limits(Settable):
    steps: int = 3
    """Fewest steps compared; a shorter pass is much like a single batch."""


def find(passes: Passes, limits: Limits) -> Found:
    if passes.compared < limits.steps or passes.equal < passes.compared:
        return
    yield Evidence(
        where=at(passes.site, rank=passes.rank),
        saw=f"the first {passes.compared} batches of the second pass equal those of the first, in the same order",
        wanted="a different order in every pass",
        numbers={"compared": passes.compared},
    )


CHECK = Check(
    id="FL191",
    summary="every pass over the data has the same order",
    causes=("data-not-shuffled",),
    likely="`shuffle` is off by default, or the rows are taken from first to last in every epoch",
    fix="pass `shuffle=True` to the loader, or draw a new `torch.randperm` for each epoch",
    severity=Severity.NOTE,
    confidence=0.9,
    find=find,
)
