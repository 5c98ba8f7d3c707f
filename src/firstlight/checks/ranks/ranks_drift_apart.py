"""The ranks start with the same weights and drift apart, because gradients are not averaged.

## What it sees
The norm of the weights on every rank after the same step. If gradients are averaged, it is the same on all ranks, bit
for bit.

## When it is fine
Averaging the weights now and then (local SGD) brings the ranks together again; once this was seen, nothing is
reported. Shards of one model (FSDP, tensor parallel) are not compared.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.ranks import Ranks


class Limits(Settable):
    steps: int = 8
    """Fewest steps that must have been compared."""
    begin: float = 0.05
    """Largest relative difference at the first step at which the ranks still count as starting from the same model."""
    apart: float = 1e-5
    """Relative difference above which rounding cannot be the reason."""


def find(ranks: Ranks, limits: Limits) -> Found:
    if len(ranks.apart) < limits.steps or not ranks.apart[0] <= limits.begin:
        return
    if not all(apart > limits.apart for apart in ranks.apart[1:]):
        return
    yield Evidence(
        where=at(ranks.optimizer_site or ranks.site),
        saw=f"the norm of the weights differs between {ranks.world} ranks at each of {len(ranks.apart)} steps, by "
        f"{ranks.apart[-1]:.1e} (relative) at the last",
        wanted="the same weights on every rank",
        numbers={"weighed": len(ranks.apart), "first": ranks.apart[0], "last": ranks.apart[-1]},
    )


CHECK = Check(
    id="FL903",
    summary="each rank trains a model of its own",
    causes=("env-distributed",),
    likely="the model is not wrapped in DistributedDataParallel, or its gradients are not all-reduced before the step",
    fix="train `DistributedDataParallel(model)`, or all-reduce each gradient and divide it by the world size",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    symptom=True,
)
