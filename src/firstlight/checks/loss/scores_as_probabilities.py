"""A loss that compares probabilities is given scores, and has no lower end for them.

## What it sees
Predictions meet answers between 0 and 1. The loss is computed again with others: of a few probabilities those that
equal the answers are its best, so it is made for probabilities; and over whatever the network may give it falls far
below that, many times what it differs by between the best and the worst of them. A Dice, Jaccard or Tversky overlap
without `sigmoid` or `softmax`, a likelihood whose logarithm was forgotten.

## When it is fine
Losses that are made for scores have a floor (cross-entropy with logits, focal, hinge, squared errors), and nothing is
said of them, nor of answers that the network gave itself, nor where several optimizers step, as with a critic. A linear
score that is held by a penalty on the weights alone may be meant; allow it there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import FloorSeen


class Limits(Settable):
    fallen: float = 10.0
    """Times the difference between right and wrong probabilities: losses for scores fall by no more than four."""
    looks: int = 2
    """A single batch may be odd."""


def find(floor: FloorSeen, limits: Limits) -> Found:
    fallen = floor.perfect - floor.lowest
    if floor.optimizers > 1 or floor.looks < limits.looks:
        return
    if not floor.spread > 0 or not fallen >= limits.fallen * floor.spread:
        return
    yield Evidence(
        where=at(floor.site, step=floor.step, rank=floor.rank),
        saw=f"the loss compares answers from 0 to 1 with values that nothing keeps there, now from {floor.low:.3g} to "
        f"{floor.high:.3g}; where they equal the answers it is {floor.perfect:.3g}, and others bring it down to "
        f"{floor.lowest:.3g}",
        wanted="predictions between 0 and 1, for which it is lowest at the answers",
        numbers={"perfect": floor.perfect, "lowest": floor.lowest, "spread": floor.spread},
    )


CHECK = Check(
    id="FL225",
    summary="a loss for probabilities is given scores, and falls without end",
    causes=("loss-missing-activation",),
    likely="`sigmoid` or `softmax` was forgotten before this term of the loss; a term beside it may take the scores",
    fix="apply `torch.sigmoid` (or `softmax` over the classes) to what this term is given",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
