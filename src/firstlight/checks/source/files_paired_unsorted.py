"""Two lists of files are paired by position, in whatever order the file system returns them.

## What it sees
Two lists come from `glob` or `listdir` without `sorted`, and are zipped, or indexed with the same index.

## When it is fine
A list that is sorted afterwards is not reported.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

LISTING = ("glob.glob", "os.listdir", "glob.iglob")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if not any(source.full_name(call.func) in LISTING for call in source.nodes(ast.Call)):
        return
    for scope in source.nodes(ast.FunctionDef, ast.Module, ast.ClassDef):
        if isinstance(scope, ast.FunctionDef | ast.Module | ast.ClassDef) and not _is_method_of_listed(scope):
            listed = {
                name: node for node in ast.walk(scope) if isinstance(node, ast.Assign) for name in _listed(source, node)
            }
            pair = _paired(scope, listed) if len(listed) > 1 else None
            if pair is not None and not _sorted(scope, pair):
                yield Evidence(
                    where=source.spot(listed[pair[1]]).where,
                    saw=f"`{pair[0]}` and `{pair[1]}` are listed in no guaranteed order and paired by position",
                    wanted="both lists sorted",
                )


def _is_method_of_listed(scope: ast.AST) -> bool:
    return isinstance(scope, ast.FunctionDef) and bool(scope.args.args) and scope.args.args[0].arg == "self"


def _listed(source: SourceFile, node: ast.Assign) -> list[str]:
    value = node.value
    if not isinstance(value, ast.Call) or source.full_name(value.func) not in LISTING:
        return []
    return [ast.unparse(target) for target in node.targets]


def _paired(scope: ast.AST, listed: dict[str, ast.Assign]) -> tuple[str, str] | None:
    indexed: dict[str, list[str]] = {}
    for node in ast.walk(scope):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            names = [name for name in map(ast.unparse, node.args) if name in listed]
            if len(names) > 1:
                return names[0], names[1]
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and ast.unparse(node.value) in listed:
            indexed.setdefault(node.slice.id, []).append(ast.unparse(node.value))
    for names in indexed.values():
        if len(set(names)) > 1:
            first, second, *_ = dict.fromkeys(names)
            return first, second
    return None


def _sorted(scope: ast.AST, pair: tuple[str, str]) -> bool:
    text = ast.unparse(scope)
    return any(f"{name}.sort(" in text or f"sorted({name}" in text or f"natsorted({name}" in text for name in pair)


CHECK = Check(
    id="FL756",
    summary="two unsorted lists of files are paired by position",
    causes=("data-label-misaligned",),
    likely="`glob` and `listdir` guarantee no order",
    fix="wrap both in `sorted(…)`",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
