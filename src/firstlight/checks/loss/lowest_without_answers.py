"""Where the loss is lowest, it no longer matters which answer belongs to which example.

## What it sees
At two of the first backwards the loss is minimised over free outputs, from two starts: those are the best predictions
that the loss can ask for. Then the answers are dealt out to other examples. A loss that teaches them would rise by
about as much as it fell; this one hardly rises. Two reasons are told apart:

- a changed answer pulls at the outputs of all examples, and the best outputs are the same for all: each example is
  compared with the answers of all of them, by an axis too many;
- where answers are classes, outputs that are sure and wrong cost as little as those that are sure and right, as in a
  focal loss that weights by what is known instead of by what is not.

## When it is fine
A distance between two clouds does not ask whose answer is whose, but its best outputs differ as the answers do. Numbers
that say how much an example counts are no answers; a single product with numbers of one sign is not tested. Nor are
losses whose answers the network itself gives, or that fall without end. With more than one optimizer nothing is
reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import SettledSeen


class Limits(Settable):
    looks: int = 2
    """Fewest looks, at all of which it is so; a single batch may be unusual."""
    rise: float = 0.1
    """Largest rise with the answers of others, as a share of the fall; other losses rise by about as much as they
    fall."""
    fall: float = 0.01
    """Smallest fall, as a share of where the search began: less may be rounding."""
    apart: float = 0.15
    """Largest difference between the best outputs of different examples, over their size or what the
    answers differ by, for them to be the same."""
    crossed: float = 0.5
    """Share of what one changed answer changes, from which on it is mostly at the other examples."""


def find(settled: SettledSeen, limits: Limits) -> Found:
    fall = settled.first - settled.lowest
    if settled.optimizers > 1 or settled.looks < limits.looks or not fall > limits.fall * abs(settled.first):
        return
    if not settled.rise <= limits.rise * fall:
        return
    crossed = settled.crossed >= limits.crossed
    if (crossed and not settled.apart <= limits.apart) or (not crossed and not settled.classes):
        return
    best = "the same for all examples" if crossed else "sure of anything"
    yield Evidence(
        where=at(settled.site, step=settled.step, rank=settled.rank),
        saw=f"over free outputs the loss falls from {settled.first:.4g} to {settled.lowest:.4g}, where they are "
        f"{best}; with the answers of other examples it is {settled.lowest + settled.rise:.4g} there",
        wanted="a loss that is lowest where each example has its own answer",
        cause=None if crossed else "loss-mismatch",
        likely=None
        if crossed
        else "predictions that are sure and wrong cost as little as right ones: `p` and `1 - p` "
        "are exchanged in a weight, or a product of both is minimised",
        do=None if crossed else "compute the loss of a sure right answer, and of a sure wrong one",
        numbers={"first": settled.first, "lowest": settled.lowest, "rise": settled.rise},
    )


CHECK = Check(
    id="FL258",
    summary="at its lowest the loss does not depend on whose answer is whose",
    causes=("loss-broadcast", "loss-mismatch"),
    likely="an axis too many in the predictions or the answers: each example is compared with the answers of all",
    fix="give both the same shape before they are compared",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
