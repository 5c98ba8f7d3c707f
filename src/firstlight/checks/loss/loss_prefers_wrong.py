"""The loss is lower for wrong predictions than for right ones.

## What it sees
Made-up predictions in the shape of the model's outputs: ideal ones and contrary ones. The ideal ones must not score
worse than the contrary ones. Nor may both score the same as the ideal ones do against shuffled targets.

## When it is fine
Never for a loss that is minimized. A user's own loss is tested only where its targets have the shape of the
predictions, as for a distance.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import LossSense


class Limits(Settable):
    margin: float = 1e-6
    """Smallest relative difference that is more than rounding."""


def find(sense: LossSense, limits: Limits) -> Found:
    values = (sense.ideal, sense.random, sense.contrary)
    if not all(map(math.isfinite, values)):
        return
    least = limits.margin * max(map(abs, values))
    where = at(sense.site, rank=sense.rank)
    if sense.ideal > sense.contrary + least:
        yield Evidence(
            where=where,
            saw=f"right predictions score {sense.ideal:.4g} and contrary ones {sense.contrary:.4g}",
            wanted="the lower loss for the right predictions",
            numbers={"ideal": sense.ideal, "contrary": sense.contrary},
        )
    elif abs(sense.ideal - sense.permuted) <= least and abs(sense.ideal - sense.contrary) <= least:
        yield Evidence(
            where=where,
            saw=f"right predictions, contrary ones and shuffled targets all score {sense.ideal:.4g}",
            wanted="a loss that depends on the targets",
            cause="loss-detached",
            likely="the loss never looks at the target",
            do="compute the loss by hand for two different targets; it must differ",
        )


CHECK = Check(
    id="FL232",
    summary="the loss is lower for wrong predictions than for right ones",
    causes=("loss-sign", "loss-detached"),
    likely="the sign is flipped: a score to be maximized is minimized",
    fix="negate the loss",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
