"""Every pass over the data brings the same batches in the same order.

## What it sees
What the model was fed in the first steps of the second pass and of the first: value for value the same.

## When it is fine
Examples that are independent of each other and well mixed lose little by it; sequences whose order matters need it. It
is a note, and what contradicts a warning read from the source alone: a data set that draws its examples anew gives no
order twice, shuffled or not.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Passes


class Limits(Settable):
    steps: int = 3
    """Compared; a pass of fewer is as good as one batch."""


def find(passes: Passes, limits: Limits) -> Found:
    if passes.compared < limits.steps or passes.equal < passes.compared:
        return
    yield Evidence(
        where=at(passes.site, rank=passes.rank),
        saw=f"the first {passes.compared} batches of the second pass are those of the first, in the same order",
        wanted="another order in every pass",
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
