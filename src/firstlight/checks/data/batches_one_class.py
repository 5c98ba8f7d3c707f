"""Each batch holds a single class, and the class changes from batch to batch.

## What it sees
The labels of the training batches, except tiny ones. Most batches hold a single class, but not always the same one: one
step pulls the model towards one class, the next away from it. If the classes come one after the other, in order,
`labels-come-sorted` (FL104) reports it instead.

## When it is fine
Contrastive sampling, and losses that compare whole batches of one class.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import LabelsSeen


class Limits(Settable):
    batches: int = 6
    """Fewest batches; fewer may hold a single class by chance."""
    share: float = 0.8
    """Smallest share of the batches with a single class; where one class ends, a batch holds two."""
    back_share: float = 0.15
    """Share of the class changes against the main direction up to which the data counts as sorted."""


def find(seen: LabelsSeen, limits: Limits) -> Found:
    batching = seen.batching
    if batching.batches < limits.batches or batching.single < limits.share * batching.batches or batching.kinds < 2:  # noqa: PLR2004
        return
    if min(batching.up, batching.down) <= limits.back_share * (batching.up + batching.down):
        return
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"{batching.single} of {batching.batches} training batches hold a single class, "
        f"{batching.kinds} different ones in turn",
        wanted=f"batches that mix the {seen.classes} classes",
        numbers={"batches": batching.batches, "single": batching.single, "kinds": batching.kinds},
    )


CHECK = Check(
    id="FL134",
    summary="each training batch holds a single class",
    causes=("data-not-shuffled",),
    likely="batches are built from files or folders of one class each, and only the batches are shuffled",
    fix="shuffle the examples, not the batches: `DataLoader(…, shuffle=True)` over single examples",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
