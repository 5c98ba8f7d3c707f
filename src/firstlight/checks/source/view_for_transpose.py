"""Dimensions are swapped with `view`, which scrambles the values.

## What it sees
The sizes of a tensor are unpacked into names, and the same tensor is viewed or reshaped to the same names in another
order: `b, t, c = x.shape` and `x.view(b, c, t)`.

## When it is fine
If the sizes are equal it does no harm; still, `transpose` says what is meant.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Found:
    lines = {call.lineno for call in source.nodes(ast.Call) if getattr(call.func, "attr", "") in ("view", "reshape")}
    for scope in source.nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        if not any(scope.lineno <= line <= scope.end_lineno for line in lines):
            continue
        shapes: dict[str, tuple[list[str], int]] = {}
        for node in sorted((n for n in ast.walk(scope) if isinstance(n, ast.Assign | ast.Call)), key=_carried_out):
            if isinstance(node, ast.Call):
                yield from _judged(source, node, shapes)
                continue
            names = _unpacked(node)
            for target in node.targets:
                for each in ast.walk(target):
                    if isinstance(each, ast.Name):
                        shapes.pop(each.id, None)
                        shapes = {k: v for k, v in shapes.items() if each.id not in v[0]}
            if names:
                shapes[names[0]] = (names[1], node.lineno)


def _carried_out(node: ast.Assign | ast.Call) -> tuple[int, int, bool]:
    """The order of execution: calls on the right of an assignment run before the name on its left is bound."""
    return node.end_lineno or 0, node.end_col_offset or 0, isinstance(node, ast.Assign)


def _unpacked(node: ast.Assign) -> tuple[str, list[str]] | None:
    target, value = node.targets[0], node.value
    if (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr == "size"
        and not value.args
    ):
        value = value.func
    shape = isinstance(value, ast.Attribute) and value.attr in ("shape", "size") and isinstance(value.value, ast.Name)
    if not shape or not isinstance(target, ast.Tuple) or not all(isinstance(each, ast.Name) for each in target.elts):
        return None
    names = [each.id for each in target.elts if isinstance(each, ast.Name)]
    return (value.value.id, names) if len(set(names)) == len(names) else None  # type: ignore[attr-defined]  # a name, by `shape`


def _judged(source: SourceFile, node: ast.Call, shapes: dict[str, tuple[list[str], int]]) -> Found:
    func = node.func
    if (
        not isinstance(func, ast.Attribute)
        or func.attr not in ("view", "reshape")
        or not isinstance(func.value, ast.Name)
    ):
        return
    known = shapes.get(func.value.id)
    sizes = [each.id for each in node.args if isinstance(each, ast.Name)]
    if known is None or len(sizes) != len(node.args) or sizes == known[0] or sorted(sizes) != sorted(known[0]):
        return
    yield Evidence(
        where=source.spot(node).where,
        saw=f"a tensor of shape ({', '.join(known[0])}) is viewed as ({', '.join(sizes)})",
        wanted="dimensions swapped with `transpose` or `permute`",
    )


CHECK = Check(
    id="FL769",
    summary="dimensions are swapped with `view`, which scrambles the values",
    causes=("arch-batch-mixing",),
    likely="`view` was used in place of `permute`",
    fix="use `permute` or `transpose`",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
    at_work="examples-mix",
)
