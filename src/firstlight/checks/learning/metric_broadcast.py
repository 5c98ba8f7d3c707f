"""A metric compares every prediction with every label.

## What it sees
Outside the loss, a comparison of shapes such as (N, 1) and (N,) gives N x N results that are then averaged or summed:
the number reported is only the chance agreement of predictions and labels.

## When it is fine
Masks of equal labels (contrastive learning) compare a tensor with itself and are not reduced to one number.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.facts import ShapeClash


def find(clash: ShapeClash, _limits: NoLimits) -> Found:
    if clash.in_loss:
        return
    yield Evidence(
        where=at(clash.site, step=clash.first_step, rank=clash.rank),
        saw=f"`{clash.operation}` of {clash.left} and {clash.right} broadcasts to {clash.result} before it is reduced",
        wanted="two equal shapes",
        numbers={"times": clash.times},
    )


CHECK = Check(
    id="FL502",
    summary="a metric compares every prediction with every label",
    causes=("train-metric",),
    likely="the prediction has a trailing dimension of 1 that the labels lack",
    fix="make the shapes equal before comparing: `prediction.squeeze(-1)` or `labels.unsqueeze(-1)`",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
