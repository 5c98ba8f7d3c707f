"""Training in float16 without scaling the loss.

## What it sees
The model runs under `autocast` with float16, `backward` is called on the plain loss, and there is no gradient scaler:
small gradients become zero.

## When it is fine
bfloat16 needs no scaler. A precision that is not a literal in the source is not judged.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    half = [
        step
        for step in loop.steps
        if isinstance(step, Call)
        and "autocast:float16" in step.guards
        and step.target.startswith(("call.", "model.call", "layer."))
    ]
    scaled = any(
        isinstance(step, Call) and re.search(r"scale|accelerator|fabric|engine", step.target, re.IGNORECASE)
        for step in loop.around
    )
    managed = any(isinstance(step, Call) and step.result.kind == "scaler" for step in loop.around)
    if not half or scaled or managed or loop.hidden or not loop.updates:
        return
    yield Evidence(
        where=loop.backwards[0].spot.where,
        saw=f"the model runs in float16 at {half[0].spot}, and `backward()` is called on the unscaled loss here",
        wanted="a `GradScaler` for the loss and the step, or bfloat16",
    )


CHECK = Check(
    id="FL762",
    summary="float16 training without loss scaling loses small gradients",
    causes=("num-precision",),
    likely="the scaler was left out",
    fix="use `torch.amp.GradScaler`, or `dtype=torch.bfloat16`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
