"""The learning-rate scheduler steps before the optimizer.

## What it sees
In one pass of the same loop, `scheduler.step()` comes before the optimizer's step and not after it: the first value of
the schedule is never used.

## When it is fine
A scheduler stepped with an explicit epoch is not reported, nor is one on another loop level.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    order = {id(step): index for index, step in enumerate(loop.around)}
    last = max((order[id(update)] for update in loop.updates), default=-1)
    first = min((order[id(update)] for update in loop.updates), default=-1)
    for call in loop.around:
        if (
            not isinstance(call, Call)
            or call.target != "scheduler.step"
            or not call.loops
            or call.args
            or call.keywords
        ):
            continue
        here = order[id(call)]
        shared = call.loops == loop.updates[0].loops[: len(call.loops)] if loop.updates else False
        again = any(isinstance(s, Call) and s.target == "scheduler.step" and order[id(s)] > last for s in loop.around)
        after = any(_updates(step, call) for step in loop.around[:here])  # the same function may train and evaluate
        apart = again or after or any(call.excludes(update) for update in loop.updates)
        if shared and here < first and not apart:
            yield Evidence(
                where=call.spot.where,
                saw=f"`scheduler.step()` is called here, before the optimizer's step at {loop.updates[0].spot}",
                wanted="the optimizer's step first",
            )
            return


def _updates(step: Call | Assignment, call: Call) -> bool:
    """Whether an optimizer steps there, in the same pass of the loop."""
    return isinstance(step, Call) and step.target in UPDATES and step.loops[: len(call.loops)] == call.loops


UPDATES = ("optimizer.step", "scaler.step")


CHECK = Check(
    id="FL716",
    summary="the scheduler steps before the optimizer, which skips its first value",
    causes=("train-order", "train-schedule"),
    likely="the order was right before PyTorch 1.1",
    fix="move `scheduler.step()` after the optimizer's step, at the end of the loop",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
