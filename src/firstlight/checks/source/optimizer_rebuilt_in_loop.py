"""The optimizer is rebuilt for every batch or epoch, and loses its moments.

## What it sees
An optimizer is constructed inside the loop over batches that steps it, or inside a loop over epochs around that one.

## When it is fine
Loops over folds, tasks, images or settings build one for each on purpose and are not reported.
"""

import ast
import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, Loop, TrainingLoop, updated

PASSES = re.compile(r"^_?(?:epoch|ep|e|epoch_?i|i_?epoch|iteration|iter|step|batch_?i(?:dx)?|n_iter)s?$", re.IGNORECASE)


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    for call in loop.around:
        if (
            not isinstance(call, Call)
            or call.result.kind != "optimizer"
            or not call.loops
            or call.arms != loop.backwards[0].arms
        ):
            continue
        inner = call.loops[-1]
        own = any(updated(update).made == call.spot for update in loop.updates)
        if inner not in loop.backwards[0].loops or not own or not (_counts(inner) or inner.kind == "batches"):
            continue
        yield Evidence(
            where=call.spot.where,
            saw=f"an optimizer is built in each pass of the loop at {inner.spot} and stepped at {loop.updates[0].spot}",
            wanted="one optimizer for the whole training",
        )


def _counts(loop: Loop) -> bool:
    target = getattr(loop.node, "target", None)
    return isinstance(target, ast.Name) and PASSES.match(target.id) is not None


CHECK = Check(
    id="FL767",
    summary="the optimizer is rebuilt in the training loop and loses its state",
    causes=("train-reinit",),
    likely="it is inside the loop by mistake, or is rebuilt to change the learning rate",
    fix="build it once above the loop; change the learning rate with a scheduler",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
    at_work="optimizer-rebuilt",
)
