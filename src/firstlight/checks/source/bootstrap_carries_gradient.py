"""The target is trained along with the prediction.

## What it sees
`reward + discount * network(next)`, where the network is the one being trained, in a function that calls `backward`,
with no `detach` and no `no_grad`. The gradient then also moves the target towards the prediction.

## When it is fine
Targets from a separate copy (named target, old, frozen …), detached ones, and those computed under `no_grad`. Residual
gradients on purpose: allow the finding.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Bootstrap


def find(bootstrap: Bootstrap, _limits: NoLimits) -> Found:
    if not bootstrap.carries_gradient:
        return
    yield Evidence(
        where=bootstrap.spot.where,
        saw=f"`{bootstrap.network}({bootstrap.given})` is part of the target and keeps its graph",
        wanted="a target that no gradient goes through",
    )


CHECK = Check(
    id="FL772",
    summary="gradients go through the bootstrapped target",
    causes=("rl-target",),
    likely="`detach()` or `torch.no_grad()` is missing around the target",
    fix="compute the target under `with torch.no_grad():`",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
