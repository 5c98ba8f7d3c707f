"""The metric does not score the ideal answer best.

## What it sees
The declared metric of made-up answers to one real batch: the ideal ones, the same ones out of order, and their
contrary. Whether more or less is better, the ideal must be at the end of the scale, alone.

## When it is fine
A metric that does not compare example by example: how often a class is predicted, a mean of the answers, what a batch
costs. Declare those that measure how good the answers are.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import MetricTried


class Limits(Settable):
    apart: float = 1e-3
    """Of the larger score: two answers that are this close count as scored alike."""


def find(tried: MetricTried, limits: Limits) -> Found:
    others = (tried.permuted, tried.contrary)
    score = f"score {tried.ideal:.4g}" if math.isfinite(tried.ideal) else "get a score that is not finite"
    told = f"ideal answers {score}, out of order {tried.permuted:.4g}, contrary {tried.contrary:.4g}"
    if math.isfinite(tried.ideal):
        alike = [abs(tried.ideal - other) <= limits.apart * max(abs(tried.ideal), abs(other)) for other in others]
        above = [tried.ideal > other for other in others if not math.isnan(other)]
        if not any(alike) and (all(above) or not any(above)):
            return
    yield Evidence(
        where=at(tried.site, rank=tried.rank),
        saw=told,
        wanted="a score of the ideal answers that is better than both others",
        numbers={"ideal": tried.ideal, "permuted": tried.permuted, "contrary": tried.contrary},
    )


CHECK = Check(
    id="FL538",
    summary="the metric does not score the ideal answer best",
    causes=("train-metric",),
    likely="`argmax` over the wrong axis, shapes that broadcast against each other, or a threshold for another scale",
    fix="call the metric by itself on three answers and targets written by hand, and print the shapes inside it",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
