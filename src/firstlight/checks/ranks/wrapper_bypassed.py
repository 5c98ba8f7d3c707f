"""Training goes past the wrapper that averages the gradients of the ranks.

## What it sees
A model is wrapped in `DistributedDataParallel`, but in training the module inside it is called directly; the wrapper
itself never is. Nothing is averaged: each rank trains a model of its own.

## When it is fine
Evaluating with the inner module, without gradients, is usual and not counted.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.program import Wrapped


class Limits(Settable):
    calls: int = 3
    """Of the inner module in training; fewer may be a trial."""


def find(wrapped: Wrapped, limits: Limits) -> Found:
    if wrapped.world < 2 or wrapped.through or wrapped.beside < limits.calls:  # noqa: PLR2004  # alone, nothing to share
        return
    yield Evidence(
        where=at(wrapped.site, step=wrapped.step, rank=wrapped.rank),
        saw=f"`{wrapped.module}` inside DistributedDataParallel is called {wrapped.beside} times in training, its "
        "wrapper 0 times",
        wanted="calls of the wrapper, whose forward prepares the exchange of gradients",
        numbers={"beside": wrapped.beside, "world": wrapped.world},
    )


CHECK = Check(
    id="FL901",
    summary="training goes past DistributedDataParallel, and no gradient is averaged",
    causes=("env-distributed",),
    likely="`model.module` is called where `model` was meant",
    fix="call the wrapped model; move what else is needed (the loss, say) into its `forward`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
