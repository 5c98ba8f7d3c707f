"""Gradients of all past batches accumulate, because nothing clears them.

## What it sees
A loop computes gradients and steps an optimizer, and nothing in it, including the functions it calls, clears gradients:
no `zero_grad()`, no `grad = None`.

## When it is fine
A loop that calls code that cannot be followed is not reported if that code might clear gradients, judging by its name
or because it gets the optimizer.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import TrainingLoop, updated


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    if loop.clears or loop.hidden or not loop.updates:
        return
    step = loop.updates[0]
    if step.args and step.target == "optimizer.step" and step.args[0].kind not in ("const", "function", "method"):
        return
    around = f"the loop at {loop.loop.spot}"
    yield Evidence(
        where=loop.backwards[0].spot.where,
        saw=f"`backward()` is called here and `step()` at {step.spot}, but nothing in {around} clears gradients",
        wanted="gradients that are cleared before each backward",
        do=f"call `{updated(step).key or 'optimizer'}.zero_grad()` before this line",
    )


CHECK = Check(
    id="FL710",
    summary="gradients are never cleared, so every step uses the sum of all past ones",
    causes=("train-no-zero-grad",),
    likely="`zero_grad()` was forgotten or is outside the loop",
    fix="call `optimizer.zero_grad()` before `backward()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="gradients-never-cleared",
)
