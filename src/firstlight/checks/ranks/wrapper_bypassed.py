"""Training bypasses the wrapper that averages gradients across ranks.

## What it sees
A model is wrapped in `DistributedDataParallel`, but training calls the inner module directly and never the wrapper
itself. No gradients are averaged: each rank trains a model of its own.

## When it is fine
Evaluating with the inner module, without gradients, is common and not counted.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.program import Wrapped


class Limits(Settable):
    calls: int = 3
    """Fewest calls of the inner module in training; fewer may be a trial."""


def find(wrapped: Wrapped, limits: Limits) -> Found:
    if wrapped.world < 2 or wrapped.through or wrapped.beside < limits.calls:  # noqa: PLR2004  # alone, nothing to share
        return
    yield Evidence(
        where=at(wrapped.site, step=wrapped.step, rank=wrapped.rank),
        saw=f"`{wrapped.module}` inside DistributedDataParallel is called {wrapped.beside} times in training, its "
        "wrapper 0 times",
        wanted="calls of the wrapper, whose forward sets up the averaging of gradients",
        numbers={"beside": wrapped.beside, "world": wrapped.world},
    )


CHECK = Check(
    id="FL901",
    summary="training bypasses DistributedDataParallel, so gradients are not averaged",
    causes=("env-distributed",),
    likely="`model.module` is called instead of `model`",
    fix="call the wrapper; move whatever else needs the inner module (the loss, say) into its `forward`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
