"""`ReduceLROnPlateau` watches a value in the wrong direction.

## What it sees
A scheduler in mode `min` (the default) gets a value named accuracy, F1, AUC or a similar score, or one in mode `max`
gets one named loss or error: it treats every improvement as a plateau.

## When it is fine
Names that say neither are not judged.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.directions import grows
from firstlight.records.source import SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for call in trace.calls("scheduler.step"):
            if not call.receiver.name.endswith("ReduceLROnPlateau") or not call.node.args or "1" in call.receiver.args:
                continue
            if "mode" in call.receiver.args and not isinstance(call.receiver.literal("mode"), str):
                continue
            mode = call.receiver.literal("mode") or "min"
            given = _name(call.node.args[0])
            wanted = grows(given)
            if wanted is None or (mode == "min") != wanted:
                continue
            yield Evidence(
                where=call.spot.where,
                saw=f"the scheduler has mode `{mode}` and gets `{given}`",
                wanted=f"mode `{'max' if wanted else 'min'}` for this value",
                do=f'create the scheduler at {call.receiver.made} with `mode="{"max" if wanted else "min"}"`',
            )


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
    return ""


CHECK = Check(
    id="FL718",
    summary="the plateau scheduler watches a score in the wrong direction",
    causes=("train-schedule",),
    likely="the default mode `min` was kept for a score that should rise",
    fix="set `mode` to the direction in which the value improves",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
