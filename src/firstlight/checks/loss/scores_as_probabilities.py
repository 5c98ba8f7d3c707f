"""A loss that compares probabilities is given scores, and has no lower bound for them.

## What it sees
Predictions are compared with targets between 0 and 1. The loss is computed again with other predictions. Among a few
sets of probabilities, those equal to the targets have the lowest loss, so the loss is meant for probabilities. But over
arbitrary outputs of the network it falls far below that, by many times the difference between the best and the worst
probabilities. Examples are a Dice, Jaccard or Tversky overlap without `sigmoid` or `softmax`, and a likelihood whose
logarithm was forgotten.

## When it is fine
Losses that are made for scores have a floor (cross-entropy with logits, focal, hinge, squared errors) and are not
reported; neither are targets produced by the network itself, nor programs in which several optimizers step, as with a
critic. A linear score that is held back only by a penalty on the weights may be intended; allow the check there.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import FloorSeen


class Limits(Settable):
    fallen: float = 10.0
    """Smallest fall, in multiples of the difference between right and wrong probabilities; losses for scores fall by no
    more than four."""
    looks: int = 2
    """Fewest looks; a single batch may be unusual."""


def find(floor: FloorSeen, limits: Limits) -> Found:
    fallen = floor.perfect - floor.lowest
    if floor.optimizers > 1 or floor.looks < limits.looks:
        return
    if not floor.spread > 0 or not fallen >= limits.fallen * floor.spread:
        return
    yield Evidence(
        where=at(floor.site, step=floor.step, rank=floor.rank),
        saw=f"the loss compares targets from 0 to 1 with values that may leave that range, now from {floor.low:.3g} to "
        f"{floor.high:.3g}; if they equal the targets it is {floor.perfect:.3g}, but other values bring it down to "
        f"{floor.lowest:.3g}",
        wanted="predictions between 0 and 1, with the lowest loss at the targets",
        numbers={"perfect": floor.perfect, "lowest": floor.lowest, "spread": floor.spread},
    )


CHECK = Check(
    id="FL225",
    summary="a loss for probabilities is given scores, and falls without end",
    causes=("loss-missing-activation",),
    likely="`sigmoid` or `softmax` was forgotten before this term of the loss; another term may take raw scores",
    fix="apply `torch.sigmoid` (or `softmax` over the classes) to what this term is given",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
