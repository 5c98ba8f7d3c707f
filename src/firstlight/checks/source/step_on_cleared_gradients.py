"""The optimizer steps right after its gradients were cleared.

## What it sees
In the order of a training loop, the last thing that happens to an optimizer's gradients before its `step()` is
`zero_grad()`: the step changes nothing, except through momentum and weight decay.

## When it is fine
A loop whose order is unknown, because it calls code that cannot be followed, is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    if loop.hidden:
        return
    for name, steps in loop.optimizers().items():
        cleared = [clear for clear in loop.clears if isinstance(clear, Call) and clear.receiver.key == name and name]
        for step in steps:
            last = loop.last_before(step, [*loop.backwards, *cleared])
            if isinstance(last, Call) and last in cleared and step.loops == last.loops:
                yield Evidence(
                    where=last.spot.where,
                    saw=f"`{name}.zero_grad()` here, then `{name}.step()` at {step.spot} with no backward in between",
                    wanted="`zero_grad()`, `backward()`, `step()`, in this order",
                )


CHECK = Check(
    id="FL711",
    summary="gradients are cleared just before the step that should use them",
    causes=("train-order",),
    likely="`zero_grad()` is between `backward()` and `step()`, or `step()` is above `backward()`",
    fix="call `zero_grad()`, `backward()`, `step()` in this order",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
    at_work="gradients-gone",
)
