"""A total over many batches is overwritten by each of them.

## What it sees
A name is set to 0, a loop assigns it another value in every iteration without reading the old one, and after the loop
it is divided, as a total is. The result is the share of the last iteration alone.

## When it is fine
A value that is read anywhere in the loop, set only in some iterations, or not divided after the loop, may be the last
one on purpose and is not reported.
"""

import ast
from collections.abc import Iterator, Sequence

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile
from firstlight.records.syntax import SCOPES, name_of, own

NAMES = (ast.Name, ast.Attribute, ast.Subscript)
ZEROS = ("zeros", "tensor")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    scopes = source.nodes(*SCOPES) if any(any(_zeroed(node)) for node in source.nodes(ast.Assign)) else ()
    for scope in scopes:
        nodes = list(own(scope))
        begun = {name: node.lineno for node in nodes for name in _zeroed(node)}
        for loop in nodes:
            if begun and isinstance(loop, ast.For):
                yield from _overwritten(source, loop, begun, nodes)


def _overwritten(source: SourceFile, loop: ast.For, begun: dict[str, int], nodes: Sequence[ast.AST]) -> Found:
    inside = [node for line in loop.body for node in ast.walk(line)]
    made = {ast.unparse(node) for node in ast.walk(loop.target)} | {ast.unparse(node) for node in inside if _set(node)}
    read = {ast.unparse(node) for node in inside if isinstance(node, NAMES) and isinstance(node.ctx, ast.Load)}
    for line in _every_round(loop.body):
        name = ast.unparse(line.targets[0])
        if begun.get(name, loop.lineno) >= loop.lineno or name in read:
            continue
        follows = any(ast.unparse(node) in made for node in ast.walk(line.value) if isinstance(node, NAMES))
        if follows and any(_divides(node, name) for node in nodes if _line(node) > (loop.end_lineno or 0)):
            yield Evidence(
                where=source.spot(line).where,
                saw=f"`{name}` is 0 before the loop at {source.spot(loop)}, gets a new value in every iteration and is "
                "divided after the last",
                wanted=f"`{name} += …`, so that every iteration counts",
            )


def _zeroed(node: ast.AST) -> Iterator[str]:
    """The names that a line sets to 0."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            pairs = zip(names, values, strict=True)
            yield from (ast.unparse(name) for name, value in pairs if _is_zero(value))
        case ast.Assign(targets=targets, value=value) if _is_zero(value):
            yield from map(ast.unparse, targets)


def _is_zero(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=number):
            return type(number) in (int, float) and number == 0
        case ast.Call(func=function, args=[first, *_]) if name_of(function) in ZEROS:
            return name_of(function) == "zeros" or _is_zero(first)
    return False


def _set(node: ast.AST) -> bool:
    return isinstance(node, NAMES) and isinstance(node.ctx, ast.Store)


def _every_round(body: Sequence[ast.stmt]) -> Iterator[ast.Assign]:
    """Assignments to one name that run in every iteration, outside any branch."""
    for line in body:
        if isinstance(line, ast.With):
            yield from _every_round(line.body)
        elif isinstance(line, ast.Assign) and len(line.targets) == 1 and isinstance(line.targets[0], NAMES):
            yield line


def _divides(node: ast.AST, name: str) -> bool:
    match node:
        case ast.BinOp(op=ast.Div()):
            return any(ast.unparse(part) == name for part in ast.walk(node) if isinstance(part, NAMES))
        case ast.AugAssign(op=ast.Div(), target=target):
            return ast.unparse(target) == name
    return False


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


CHECK = Check(
    id="FL791",
    summary="a total over many batches is overwritten by each of them",
    causes=("train-metric",),
    likely="`=` is written instead of `+=`, so the result is that of the last batch alone",
    fix="add to the total in each iteration: `+=`",
    severity=Severity.WARNING,
    confidence=0.92,
    find=find,
)
