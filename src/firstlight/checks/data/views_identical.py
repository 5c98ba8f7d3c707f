"""Two views of an example that a loss compares are the same, so that the pair teaches nothing.

## What it sees
A loss compares the examples of a batch with each other and pulls pairs of them together. In every batch, the inputs of
the two examples of each pair have the same values, and so have their embeddings: the pair is alike before anything is
learnt. Or the embeddings differ, because of dropout, but a data loader returns both inputs, and for the same row of the
data set it returned other values later: the views are drawn at random, only not twice.

## When it is fine
The same input is given twice on purpose, and dropout makes two embeddings of it (SimCSE, R-Drop). Embeddings that
differ are not reported then, unless a loader draws the inputs anew for every epoch and returns each of them twice.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.pairs import PairsPulled


class Limits(Settable):
    looks: int = 3
    """Fewest looks, at batches of one size."""
    copies: float = 0.99
    """Smallest share of the pairs with the same inputs; in small data sets, some examples occur twice."""
    same: float = 0.99
    """Smallest share of the pairs with the same embeddings."""


def find(pairs: PairsPulled, limits: Limits) -> Found:
    if pairs.looks < limits.looks or not pairs.copies >= limits.copies:
        return
    if pairs.same >= limits.same:
        reason = "and so do their embeddings: nothing is left to learn from such a pair"
    elif pairs.drawn:
        reason = "although the loader draws other values for the same row in another epoch"
    else:
        return
    yield Evidence(
        where=at(pairs.site, step=pairs.step, rank=pairs.rank),
        saw=f"the two inputs of {pairs.copies:.0%} of the pairs {pairs.matching} have the same values, {reason}",
        wanted="two views of an example, each drawn by itself",
        numbers={"copies": pairs.copies, "same": pairs.same},
    )


CHECK = Check(
    id="FL193",
    summary="two views of an example that a loss compares are the same",
    causes=("data-degenerate", "data-augment"),
    likely="both views are drawn with the same seed, or one of them is used twice",
    fix="seed each view by its own number too, and compare the two views of one example before they are used",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
