"""A method is named but not called.

## What it sees
A statement that is only `optimizer.step`, `optimizer.zero_grad`, `loss.backward`, `model.train` or `model.eval`,
without parentheses.

## When it is fine
Never: the statement has no effect.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.finding import Edit
from firstlight.records.source import SourceFile

METHODS = frozenset({"zero_grad", "backward", "step", "eval", "train"})
CAUSES = {"eval": "train-mode", "train": "train-mode"}


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for node in source.nodes(ast.Expr):
        value = node.value
        if not isinstance(value, ast.Attribute) or value.attr not in METHODS or source.full_name(value):
            continue
        end, column = value.end_lineno or node.lineno, value.end_col_offset or 0
        yield Evidence(
            where=source.spot(node).where,
            saw=f"`.{value.attr}` is written without parentheses",
            wanted=f"`.{value.attr}()`",
            cause=CAUSES.get(value.attr),
            edits=(Edit(line=end, column=column, end_line=end, end_column=column, text="()"),),
        )


CHECK = Check(
    id="FL738",
    summary="a method of the training step is named but not called",
    causes=("train-order", "train-mode"),
    likely="the parentheses were forgotten",
    fix="add `()`",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
