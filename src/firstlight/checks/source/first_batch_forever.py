"""Every step trains on the first batch.

## What it sees
`next(iter(loader))` inside a training loop: each call creates a new iterator and returns its first batch. Without
shuffling, that is the same batch forever; with shuffling, workers are restarted for every step.

## When it is fine
Code that overfits one batch on purpose fetches it once, above the loop.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import UNKNOWN, Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    if not loop.updates:
        return
    for call in loop.steps:
        if (
            not isinstance(call, Call)
            or call.target != "next"
            or not _begins_anew(call.node)
            or call.loops != loop.backwards[0].loops
        ):
            continue
        loader = call.args[0] if call.args else UNKNOWN
        if call.function != loop.backwards[0].function or not (loader.kind == "loader" or "load" in loader.key.lower()):
            continue
        shuffles = loader.literal("shuffle") is True or loader.kind != "loader"
        yield Evidence(
            where=call.spot.where,
            saw="`next(iter(…))` in a training loop starts again at the first batch each time",
            wanted="one iterator for the whole loop",
            severity=Severity.WARNING if shuffles else None,
        )


def _begins_anew(node: ast.AST) -> bool:
    inner = node.args[0] if isinstance(node, ast.Call) and node.args else None
    return isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "iter"


CHECK = Check(
    id="FL753",
    summary="every step takes the first batch of a new iterator",
    causes=("data-stale-batch",),
    likely="`next(iter(loader))` was meant to return the next batch",
    fix="write `for batch in loader`, or create the iterator once above the loop",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
