"""The model is put into eval mode in the first epoch and stays in it while training.

## What it sees
The loop around a training loop, including the functions it calls, calls `eval()` on the model that is trained, and
nothing in it calls `train()`: from the second epoch on, dropout is off and batch statistics are frozen.

## When it is fine
`eval()` on another model, such as a teacher, is not reported, nor is a loop that calls code that cannot be followed.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop, Value


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    outer = loop.backwards[0].loops
    if len(outer) < 2:  # noqa: PLR2004 (epochs and batches)
        return
    calls = [step for step in loop.around if isinstance(step, Call) and outer[-2] in step.loops]
    back = [
        call for call in calls if call.target.endswith(".train") and not (call.args and call.args[0].const is False)
    ]
    hidden = [call for call in calls if call.opaque and re.search(r"train|mode\b|fit|epoch", call.target)]
    used = {
        _identity(call.receiver)
        for call in loop.steps
        if isinstance(call, Call) and call.target.startswith(("call.", "model.call"))
    }
    if back or hidden:
        return
    for call in calls:
        if (
            call.target.endswith(".eval")
            and call.discarded
            and _identity(call.receiver) in used
            and "try" not in call.guards
        ):
            yield Evidence(
                where=call.spot.where,
                saw=f"`eval()` is called here, and no `train()` anywhere in the loop at {outer[-2].spot}",
                wanted="`train()` before the next epoch's training",
            )
            return


def _identity(model: Value) -> object:
    return id(model.definition) if model.definition is not None else model.key


CHECK = Check(
    id="FL723",
    summary="training continues in eval mode after the first epoch",
    causes=("train-mode",),
    likely="`model.train()` is called only once, before the loop over epochs",
    fix="call `model.train()` at the start of each epoch",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
    at_work="eval-mode-in-training",
)
