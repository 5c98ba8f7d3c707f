"""After a short training the predictions are far larger than the targets, or not numbers.

## What it sees
The spread of predicted values against that of the targets, and values that are not finite.

## When it is fine
Never for long: the loss would fall first of all by making them smaller.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.declared import Predictions
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    spread: float = 100.0
    """Times the targets' spread."""


def find(made: Predictions, limits: Limits) -> Iterator[Evidence]:
    where = at(made.site, rank=made.rank)
    if made.nonfinite:
        yield Evidence(
            where=where,
            saw=f"{made.nonfinite} of {made.examples} predictions on `{made.split}` are not finite",
            wanted="finite predictions",
            cause="num-nonfinite",
            confidence=0.8,
            likely="an overflow, or a value that was not finite before it",
            do="look at FL601, which names the first bad value",
            numbers={"nonfinite": made.nonfinite},
        )
    elif made.classes is None and made.target_std > 0 and made.prediction_std > limits.spread * made.target_std:
        yield Evidence(
            where=where,
            saw=f"predictions on `{made.split}` have a spread of {made.prediction_std:.3g} "
            f"where the targets have {made.target_std:.3g}",
            wanted=f"at most {limits.spread:g} times the targets' spread",
            numbers={"ratio": made.prediction_std / made.target_std},
        )


CHECK = Check(
    id="FL534",
    name="predictions-exploded",
    summary="predictions are far larger than the targets, or not numbers",
    causes=("hp-lr-high", "num-nonfinite"),
    likely="the learning rate is too high, or inputs are not standardised",
    fix="lower the learning rate by ten, and standardise inputs and targets",
    severity=Severity.ERROR,
    confidence=0.9,
    symptom=True,
    find=find,
)
