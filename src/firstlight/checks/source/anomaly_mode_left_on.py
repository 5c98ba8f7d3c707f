"""Anomaly detection is on for the whole run.

## What it sees
`torch.autograd.set_detect_anomaly(True)` as a statement: it makes every step much slower.

## When it is fine
While searching for a NaN, it should be on.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for node in source.nodes(ast.Expr):
        call = node.value
        if not isinstance(call, ast.Call) or source.full_name(call.func) != "torch.autograd.set_detect_anomaly":
            continue
        given = [*call.args, *(each.value for each in call.keywords)]
        if given and isinstance(given[0], ast.Constant) and given[0].value is True:
            yield Evidence(
                where=source.spot(node).where,
                saw="anomaly detection is turned on for all that follows",
                wanted="anomaly detection only while searching for a NaN",
            )


CHECK = Check(
    id="FL765",
    summary="anomaly detection slows down every step",
    causes=("env-input-bound",),
    likely="it was left on after debugging",
    fix="remove it, or make it an option",
    severity=Severity.NOTE,
    confidence=0.9,
    find=find,
)
