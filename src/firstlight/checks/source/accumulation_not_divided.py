"""Gradients of several batches are accumulated for one step, and the loss is not divided by their number.

## What it sees
`backward()` runs for every batch, but `step()` and `zero_grad()` only under a condition with `%`. The loss is neither
divided nor multiplied by anything on the way.

## When it is fine
A loss that is summed over examples, or whose learning rate was chosen for the sum, is fine: suppress the finding on
that line.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    if len(loop.backwards) != 1 or len(loop.updates) != 1 or loop.hidden:
        return
    backward, update = loop.backwards[0], loop.updates[0]
    together = [clear for clear in loop.clears if set(update.arms) <= set(clear.arms)]
    conditional = len(update.arms) > len(backward.arms) and len(together) == len(loop.clears)
    loss = backward.receiver
    if not conditional or not loop.clears or not _counts(loop, update) or "accumulate" in backward.guards:
        return
    if not loss.has("loss") or loss.has("scaled") or loss.name not in AVERAGED:
        return
    yield Evidence(
        where=backward.spot.where,
        saw=f"`backward()` runs for every batch, `step()` at {update.spot} only for some, and the loss is not divided",
        wanted="the loss divided by the number of batches that share a step",
    )


AVERAGED = (
    "cross_entropy",
    "nll_loss",
    "mse_loss",
    "l1_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "smooth_l1_loss",
)


def _counts(loop: TrainingLoop, update: Call) -> bool:
    branches = {branch for branch, side in update.arms if side == 0}
    for node in ast.walk(loop.loop.node):
        if (
            isinstance(node, ast.If)
            and id(node) in branches
            and any(isinstance(x, ast.Mod) for x in ast.walk(node.test))
        ):
            return True
    return False


CHECK = Check(
    id="FL719",
    summary="accumulated gradients are not averaged",
    causes=("train-accumulation",),
    likely="the division by the number of accumulated batches was forgotten",
    fix="call `(loss / accumulation_steps).backward()`",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
    at_work="accumulation-not-averaged",
)
