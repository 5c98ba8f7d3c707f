"""Gradients are computed and cleared, and no optimizer ever uses them.

## What it sees
A loop calls `optimizer.zero_grad()` and `backward()`, and neither it nor anything around it calls `step()`.

## When it is fine
Hand-written updates of the weights, and calls that cannot be followed, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, Call, TrainingLoop

BY_HAND = ("add_", "sub_", "copy_", "addcdiv_", "mul_")


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    cleared = [clear for clear in loop.clears if isinstance(clear, Call) and clear.target == "optimizer.zero_grad"]
    if not cleared or loop.updates or loop.hidden:
        return
    if any(_updates(step) for step in loop.around):
        return
    name = cleared[0].receiver.key or "optimizer"
    yield Evidence(
        where=loop.backwards[0].spot.where,
        saw=f"`{name}.zero_grad()` at {cleared[0].spot}, `backward()` here, and no `step()` in this function",
        wanted=f"`{name}.step()` after `backward()`",
    )


def _updates(step: Call | Assignment) -> bool:
    if isinstance(step, Assignment):
        return ".data" in step.target or (bool(step.operator) and "no_grad" in step.guards)
    return step.target.endswith((".step", *BY_HAND)) or (step.opaque and "step" in step.target)


CHECK = Check(
    id="FL712",
    summary="the optimizer is never stepped",
    causes=("train-no-step",),
    likely="`optimizer.step()` was forgotten",
    fix="call `optimizer.step()` after `backward()`",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
    at_work="step-missing",
)
