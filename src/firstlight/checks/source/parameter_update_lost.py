"""A loop over parameters assigns a new tensor to its variable, and the parameters do not change.

## What it sees
`for p in model.parameters(): p = p - lr * p.grad`, or the same over two models for a moving average: the result is a
new tensor bound to the loop variable, which nobody reads. Nothing is changed in place.

## When it is fine
A new value that is used afterwards, as in the inner loop of meta-learning, is not reported; nor are `p -= …`, `p.data =
…` and `p.copy_(…)`, which do change the parameter.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import SourceFile
from firstlight.records.syntax import mentions, own

OVER = ("parameters()", "buffers()", "state_dict().values()")


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for loop in source.nodes(ast.For):
        iterable = ast.unparse(loop.iter)
        if not any(words in iterable for words in OVER):
            continue
        variables = {node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)}
        for statement in own(loop):
            if _is_lost(statement, loop, variables):
                averages = iterable.count("parameters()") > 1
                yield Evidence(
                    where=source.spot(statement).where,
                    saw=f"`{ast.unparse(statement)[:80]}` only rebinds the name; the parameter does not change",
                    wanted="an in-place change of the parameter",
                    cause="train-ema" if averages else "train-no-step",
                    do="write `t.mul_(decay).add_(s, alpha=1 - decay)`" if averages else "write `p -= …`",
                )


def _is_lost(statement: ast.AST, loop: ast.For, variables: set[str]) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or target.id not in variables or not isinstance(value, ast.BinOp):
        return False
    later = (node for node in own(loop) if getattr(node, "lineno", 0) > (statement.end_lineno or 0))
    return mentions(value, target.id) and not any(mentions(node, target.id) for node in later)


CHECK = Check(
    id="FL775",
    summary="an update of parameters only rebinds the loop variable",
    causes=("train-ema", "train-no-step"),
    likely="the update is written as for plain numbers, but tensors must be changed in place",
    fix="change the parameter in place, under `torch.no_grad()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
