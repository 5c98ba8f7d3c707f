"""A checkpoint is loaded in a way that lets it run code.

## What it sees
`torch.load(…, weights_only=False)`.

## When it is fine
A file that the program wrote itself and that nobody else could change is safe to load.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for node in source.nodes(ast.Call):
        if source.full_name(node.func) != "torch.load":
            continue
        flag = next((each.value for each in node.keywords if each.arg == "weights_only"), None)
        if isinstance(flag, ast.Constant) and flag.value is False:
            yield Evidence(
                where=source.spot(node).where,
                saw="`weights_only=False`: whoever wrote the file can run code here",
                wanted="`weights_only=True` for files from others",
            )


CHECK = Check(
    id="FL764",
    summary="a checkpoint may run code when it is loaded",
    causes=("train-checkpoint",),
    likely="the file holds more than tensors",
    fix="save state dicts and load them with `weights_only=True`",
    severity=Severity.NOTE,
    confidence=0.9,
    find=find,
)
