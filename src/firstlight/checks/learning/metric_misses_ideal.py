"""The metric does not give ideal predictions the best score.

## What it sees
The declared metric is called on made-up predictions for one real batch: ideal ones, the same ones in a different order,
and contrary ones. Whether more or less is better, the ideal predictions must have the highest or the lowest score,
alone.

## When it is fine
A metric that does not compare example by example: how often a class is predicted, the mean of the predictions, the cost
of a batch. Declare only metrics that measure how good the predictions are.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import MetricTried


class Limits(Settable):
    apart: float = 1e-3
    """Largest difference, relative to the larger score, at which two scores count as equal."""


def find(tried: MetricTried, limits: Limits) -> Found:
    others = (tried.permuted, tried.contrary)
    score = f"score {tried.ideal:.4g}" if math.isfinite(tried.ideal) else "get a score that is not finite"
    told = f"ideal predictions {score}, reordered ones {tried.permuted:.4g}, contrary ones {tried.contrary:.4g}"
    if math.isfinite(tried.ideal):
        alike = [abs(tried.ideal - other) <= limits.apart * max(abs(tried.ideal), abs(other)) for other in others]
        above = [tried.ideal > other for other in others if not math.isnan(other)]
        if not any(alike) and (all(above) or not any(above)):
            return
    yield Evidence(
        where=at(tried.site, rank=tried.rank),
        saw=told,
        wanted="a score for the ideal predictions that is better than both others",
        numbers={"ideal": tried.ideal, "permuted": tried.permuted, "contrary": tried.contrary},
    )


CHECK = Check(
    id="FL538",
    summary="the metric does not give ideal predictions the best score",
    causes=("train-metric",),
    likely="`argmax` over the wrong axis, shapes that broadcast against each other, or a threshold on another scale",
    fix="call the metric on three predictions and targets written by hand, and print the shapes inside it",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
