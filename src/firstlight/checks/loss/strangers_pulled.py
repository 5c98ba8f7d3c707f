"""The loss pulls together examples that do not belong together.

## What it sees
If a loss compares the examples of a batch with each other, its second derivative with respect to two of them tells
whether it pulls them together. This is reported in three cases:

- Each example is pulled to one other, at the same place in every batch. Those two are no more alike in the data than
  any other two, but the pairs of a different pairing by place are alike, and the loss does not pull these together. For
  example, two views of the same items lie in two blocks, one after the other, but the loss pairs neighboring rows.
- The loss compares labels (`labels[:, None] == labels[None, :]`). It pushes apart examples with the same label, and
  pulls together examples with different ones, and a small step against the gradient moves them so. For example, a
  triplet loss is given similarities where it wants distances.
- Each example is compared with one other, at the same place in every batch. The pairs that are pushed apart are alike
  in the data, and those that are pulled together are not. For example, the flag of a Siamese network is inverted.

## When it is fine
Without labels, positives that are chosen by their class or by the network's output are in different places each time.
Views that have nothing in common in their raw values, such as an image and its caption, give no evidence here. If the
rows next to the pair are alike as well, the batch is sorted in some way, and nothing is reported. A loss that pushes
examples with one label apart may be meant so, if it leaves the others alone, or compares embeddings with other answers.
If negatives are chosen because they look like the anchor, while positives do not, turn the check off.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.pairs import Labelled, PairsPulled


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
    """Largest share of that deviation that the rows next to such pairs, or those that are pulled instead, may have."""
    shared: float = 0.1
    """Largest share of the other pairs that the loss may pull together as well."""
    pushed: float = 0.5
    """Smallest share of the other pairs that the loss only pushes apart; then its sign is flipped."""
    same: float = 0.2
    """Largest share of all that the loss does to pairs with one label that may pull; a right one, from two thirds."""
    other: float = 0.8
    """Smallest share of all that it does to pairs with two labels, or without, that pulls; otherwise up to a fourth."""
    nearer: float = 0.4
    """Largest share of examples that a step brings nearer to those with their label; otherwise from three fourths."""
    held: float = 0.8
    """Smallest share of the pairs, without labels, that are pushed apart at the same place each time."""
    parted: float = 6.0
    """Smallest deviation from chance of such pairs, if they are pushed apart; of right hinges, up to three."""


Told = tuple[str, bool] | None
"""What was seen, and whether the sign is flipped."""
STRANGERS = "the loss pulls together examples no more alike than any other two ({:.1f} deviations from chance)"


def find(seen: PairsPulled, limits: Limits) -> Found:
    told = _by_labels(seen.labelled, limits)
    if told is None and seen.looks >= limits.looks:
        told = _parted(seen, limits) or _at_places(seen, limits)
    if told is None:
        return
    turned = told[1]
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=told[0],
        wanted="a loss that pulls together what belongs together",
        cause="loss-sign" if turned else "data-label-misaligned",
        likely="similarities stand where distances should, or positives and negatives are swapped" if turned else None,
        do="look at the sign of each similarity or distance in the loss" if turned else None,
        numbers={"deviations": seen.pulled.deviations, "other_deviations": seen.matched.deviations},
    )


def _by_labels(seen: Labelled, limits: Limits) -> Told:
    if seen.looks < limits.looks or not seen.nearer <= limits.nearer:
        return None
    clear = seen.same <= limits.same and seen.other >= limits.other
    saw = (
        "the loss pulls together examples with different labels, and pushes apart those with the same; one step brings"
    )
    return (f"{saw} {seen.nearer:.0%} of the examples nearer to their own label", True) if clear else None


def _parted(seen: PairsPulled, limits: Limits) -> Told:
    own, parted = seen.pulled.deviations, seen.parted.deviations
    clear = seen.held >= limits.held and seen.others >= limits.other and parted >= limits.parted
    saw = f"{STRANGERS.format(own)}, and pushes apart pairs that are alike ({parted:.0f})"
    return (saw, True) if clear and own <= limits.beside * parted else None


def _at_places(seen: PairsPulled, limits: Limits) -> Told:
    own, other = seen.pulled.deviations, seen.matched.deviations
    if not (seen.fixed >= limits.fixed and seen.shared <= limits.shared and own <= limits.unlike):
        return None
    clear = other >= limits.alike and seen.beside.deviations <= limits.beside * other
    turned = seen.pushed >= limits.pushed
    does = "pushes apart" if turned else "ignores"
    saw = f"{STRANGERS.format(own)}, and {does} the pairs {seen.matching}, which are alike ({other:.0f})"
    return (saw, turned) if clear else None


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
