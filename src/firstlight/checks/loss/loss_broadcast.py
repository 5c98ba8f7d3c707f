"""Prediction and target have shapes that broadcast, so each example is compared with every other.

## What it sees
A loss function, or a difference that is then reduced to one number, is given shapes such as (N, 1) and (N,). The result
has N x N elements, so the model learns the mean of the targets.

## When it is fine
Pairwise losses compare all examples with all others on purpose. They subtract two tensors that both carry gradients, or
reduce along one axis only; neither is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.facts import ShapeClash


def find(clash: ShapeClash, _limits: NoLimits) -> Found:
    if not clash.in_loss:
        return
    yield Evidence(
        where=at(clash.site, step=clash.first_step, rank=clash.rank),
        saw=f"`{clash.operation}` of {clash.left} and {clash.right} broadcasts to {clash.result}",
        wanted=f"two equal shapes, {max(clash.left, clash.right, key=len)} or {min(clash.left, clash.right, key=len)}",
        numbers={"times": clash.times},
    )


CHECK = Check(
    id="FL201",
    summary="prediction and target broadcast against each other in the loss",
    causes=("loss-broadcast",),
    likely="the model's last dimension of 1 was not squeezed, or the target has no such dimension",
    fix="make the shapes equal: `prediction.squeeze(-1)` or `target.unsqueeze(-1)`",
    severity=Severity.ERROR,
    confidence=0.98,
    exhaustive=True,
    find=find,
)
