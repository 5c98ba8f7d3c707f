"""The loss is lower for wrong answers than for right ones.

## What it sees
Made-up answers in the shape of the model's: ideal, shuffled and contrary. The ideal ones must score best, and must
score otherwise against targets out of order.

## When it is fine
Never for a loss that is minimised. A loss of the user's own is asked only where its targets have the shape of the
predictions, as a distance.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import LossSense


class Limits(Settable):
    margin: float = 1e-6
    """Relative difference that is more than rounding."""


def find(sense: LossSense, limits: Limits) -> Found:
    values = (sense.ideal, sense.random, sense.contrary)
    if not all(map(math.isfinite, values)):
        return
    least = limits.margin * max(map(abs, values))
    where = at(sense.site, rank=sense.rank)
    if sense.ideal > sense.contrary + least:
        yield Evidence(
            where=where,
            saw=f"right answers score {sense.ideal:.4g} and contrary ones {sense.contrary:.4g}",
            wanted="the lower loss for the right answers",
            numbers={"ideal": sense.ideal, "contrary": sense.contrary},
        )
    elif abs(sense.ideal - sense.permuted) <= least and abs(sense.ideal - sense.contrary) <= least:
        yield Evidence(
            where=where,
            saw=f"right answers, contrary ones and targets out of order all score {sense.ideal:.4g}",
            wanted="a loss that depends on the targets",
            cause="loss-detached",
            likely="the loss never looks at the target",
            do="compute the loss by hand for two different targets; it must differ",
        )


CHECK = Check(
    id="FL232",
    summary="the loss is lower for wrong answers than for right ones",
    causes=("loss-sign", "loss-detached"),
    likely="the sign is turned: a score to be maximised is minimised",
    fix="negate the loss",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
