"""A module's `forward` is called directly, which skips its hooks.

## What it sees
`self.layer.forward(x)`: hooks, and wrappers that rely on hooks, are skipped.

## When it is fine
`super().forward(x)` is the way to extend a module and is not reported.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.finding import Edit
from firstlight.records.source import SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for node in source.nodes(ast.Call):
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr != "forward" or not _is_attribute_of_self(func.value):
            continue
        if not source.imports & {"torch", "lightning"}:
            continue
        end, column = func.end_lineno or node.lineno, func.end_col_offset or 0
        yield Evidence(
            where=source.spot(node).where,
            saw="`.forward(…)` is called directly",
            wanted="a call of the module itself, which runs its hooks",
            edits=(Edit(line=end, column=column - len(".forward"), end_line=end, end_column=column, text=""),),
        )


def _is_attribute_of_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


CHECK = Check(
    id="FL741",
    summary="`forward` is called directly, which skips the module's hooks",
    causes=("arch-unused",),
    likely="`forward` looks like the method to call",
    fix="call the module: `self.layer(x)`",
    severity=Severity.NOTE,
    confidence=0.9,
    find=find,
)
