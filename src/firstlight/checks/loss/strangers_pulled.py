"""The loss pulls together examples that do not belong together.

## What it sees
Where a loss compares the examples of a batch, its second derivative by two of them tells whether it pulls them
together. Each is pulled to one other, the same place in every batch; those two are no more alike in the data than any
two, while those in another pairing by place are, and the loss does not pull these: two views of one thing that lie
in two blocks, one after the other, where the loss takes neighbouring rows for a pair.

## When it is fine
Positives that are chosen by their class, or by what the network makes of them, are in other places each time. Views
that have nothing in common in their raw values, such as an image and its caption, say nothing here. Where rows beside
the pair are alike as well, the batch is in an order, and nothing is told.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.pairs import PairsPulled


class Limits(Settable):
    looks: int = 4
    """At batches of one size."""
    fixed: float = 0.4
    """Of the examples: pulled to one place, each time the same; of triplets two thirds are, or less."""
    unlike: float = 3.0
    """Deviations within which the pairs that are pulled are alike by chance."""
    alike: float = 8.0
    """Deviations by which the other pairs are alike for certain."""
    beside: float = 0.3
    """Of that, by which the rows beside such pairs may be alike."""
    shared: float = 0.1
    """Of the other pairs that the loss may pull together as well."""
    pushed: float = 0.5
    """Of them, pushed apart and no others: then the loss is turned round."""


def find(seen: PairsPulled, limits: Limits) -> Found:
    if seen.looks < limits.looks or not (seen.fixed >= limits.fixed and seen.shared <= limits.shared):
        return
    own, other = seen.pulled.deviations, seen.matched.deviations
    if not (own <= limits.unlike and other >= limits.alike and seen.beside.deviations <= limits.beside * other):
        return
    turned = seen.pushed >= limits.pushed
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"the loss pulls together examples that are no more alike than any two ({own:.1f} deviations from chance), "
        f"and {'pushes apart' if turned else 'not'} those {seen.matching}, which are ({other:.0f})",
        wanted="a loss that pulls together what belongs together",
        cause="loss-sign" if turned else "data-label-misaligned",
        likely="the signs of the positive and the negative are exchanged" if turned else None,
        do="look at the sign of each similarity or distance in the loss" if turned else None,
        numbers={"deviations": own, "other_deviations": other, "looks": seen.looks},
    )


CHECK = Check(
    id="FL292",
    summary="the loss pulls together examples that do not belong together",
    causes=("data-label-misaligned", "loss-sign"),
    likely="the loss counts the views in another order (row by row, block by block) than they are put together in",
    fix="print, for one batch, the row of each example beside the row that the loss takes for its partner",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
