"""Any error in a training step is discarded.

## What it sees
In a loop, a `try` around `backward()` and the optimizer's step has an `except` that catches every exception and
continues: it neither raises, nor returns, nor ends the loop.

## When it is fine
Catching `KeyboardInterrupt`, or a named error such as out of memory, is not reported.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile

BROAD = frozenset({"Exception", "BaseException"})


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for node in source.nodes(ast.Try):
        called = {_method(inner) for statement in node.body for inner in ast.walk(statement)}
        if not {"backward", "step"} <= called:
            continue
        if not any(scope.lineno <= node.lineno <= scope.end_lineno for scope in source.nodes(ast.For, ast.While)):
            continue
        for handler in node.handlers:
            broad = handler.type is None or (isinstance(handler.type, ast.Name) and handler.type.id in BROAD)
            leaves = any(
                isinstance(inner, ast.Raise | ast.Return | ast.Break) or _exits(inner)
                for each in handler.body
                for inner in ast.walk(each)
            )
            if broad and not leaves:
                yield Evidence(
                    where=source.spot(handler).where,
                    saw=f"every exception in the training step at line {node.lineno} is caught, and training continues",
                    wanted="only the expected errors caught by name, and the rest raised",
                )


def _method(node: ast.AST) -> str:
    return node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else ""


def _exits(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name) and "exit" in ast.dump(node.func)
    )


CHECK = Check(
    id="FL763",
    summary="errors in the training step are swallowed",
    causes=("train-swallowed",),
    likely="the intent was to skip one bad batch",
    fix="catch the one error that is expected, and count how often it happens",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    at_work="errors-swallowed",
)
