"""A gradient scaler is used for only part of the step.

## What it sees
A loss is scaled by a `GradScaler`, but the optimizer is stepped directly, with gradients still multiplied by the scale.
Or the scaler steps and is never updated, so its scale never adapts.

## When it is fine
The two on different sides of an `if` are not reported; an `unscale_` before a direct step is taken as intended.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    if loop.hidden:
        return
    scales = [step for step in loop.steps if isinstance(step, Call) and step.target == "scaler.scale"]
    updates = [step for step in loop.around if isinstance(step, Call) and step.target == "scaler.update"]
    stepped = [update for update in loop.updates if update.target == "scaler.step"]
    direct = [
        u for u in loop.updates if u.target == "optimizer.step" and not any(u.excludes(scale) for scale in scales)
    ]
    if scales and direct and not stepped and not loop.unscales:
        yield Evidence(
            where=direct[0].spot.where,
            saw=f"the loss is scaled at {scales[0].spot}, and the optimizer is stepped directly here",
            wanted="`scaler.step(optimizer)`, which removes the scale first",
        )
    elif stepped and not updates:
        yield Evidence(
            where=stepped[0].spot.where,
            saw="`scaler.step()` is called here, and `scaler.update()` nowhere in this function",
            wanted="`scaler.update()` after `scaler.step()`",
            do="call `scaler.update()` after it",
        )


CHECK = Check(
    id="FL715",
    summary="a gradient scaler is used for only part of the step",
    causes=("num-precision", "train-order"),
    likely="the step was not changed when mixed precision was added",
    fix="use `scaler.scale(loss).backward()`, `scaler.step(optimizer)`, `scaler.update()` together",
    severity=Severity.ERROR,
    confidence=0.94,
    find=find,
)
