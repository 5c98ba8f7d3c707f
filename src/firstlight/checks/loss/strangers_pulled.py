"""The loss pulls together examples that do not belong together.

## What it sees
If a loss compares the examples of a batch with each other, its second derivative with respect to two of them tells
whether it pulls them together. Each example is pulled to one other, at the same place in every batch. Those two are no
more alike in the data than any other two, but the pairs of a different pairing by place are alike, and the loss does
not pull these together. For example, two views of the same items lie in two blocks, one after the other, but the loss
pairs neighboring rows.

## When it is fine
Positives that are chosen by their class, or by the network's output, are in different places each time. Views that have
nothing in common in their raw values, such as an image and its caption, give no evidence here. If the rows next to the
pair are alike as well, the batch is sorted in some way, and nothing is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.pairs import PairsPulled


class Limits(Settable):
    looks: int = 4
    """Fewest looks, at batches of one size."""
    fixed: float = 0.4
    """Smallest share of the examples that are pulled to one place, the same each time; of triplets it is two thirds or
    less."""
    unlike: float = 3.0
    """Largest deviation from chance of the pairs that are pulled; up to it they are alike only by chance."""
    alike: float = 8.0
    """Smallest deviation from chance of the other pairs; from there on they are certainly alike."""
    beside: float = 0.3
    """Largest share of that deviation that the rows next to such pairs may have."""
    shared: float = 0.1
    """Largest share of the other pairs that the loss may pull together as well."""
    pushed: float = 0.5
    """Smallest share of the other pairs that the loss only pushes apart; then its sign is flipped."""


def find(seen: PairsPulled, limits: Limits) -> Found:
    if seen.looks < limits.looks or not (seen.fixed >= limits.fixed and seen.shared <= limits.shared):
        return
    own, other = seen.pulled.deviations, seen.matched.deviations
    if not (own <= limits.unlike and other >= limits.alike and seen.beside.deviations <= limits.beside * other):
        return
    turned = seen.pushed >= limits.pushed
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"the loss pulls together examples no more alike than any other two ({own:.1f} deviations from chance), "
        f"and {'pushes apart' if turned else 'ignores'} the pairs {seen.matching}, which are alike ({other:.0f})",
        wanted="a loss that pulls together what belongs together",
        cause="loss-sign" if turned else "data-label-misaligned",
        likely="the signs of the positive and the negative pairs are swapped" if turned else None,
        do="look at the sign of each similarity or distance in the loss" if turned else None,
        numbers={"deviations": own, "other_deviations": other, "looks": seen.looks},
    )


CHECK = Check(
    id="FL292",
    summary="the loss pulls together examples that do not belong together",
    causes=("data-label-misaligned", "loss-sign"),
    likely="the loss assumes another order of the views (row by row, block by block) than they are concatenated in",
    fix="for one batch, print the row of each example next to the row that the loss takes as its partner",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
