"""A recurrent state is carried from batch to batch with its graph.

## What it sees
In a training loop, a name is both passed to a model and assigned from what it returns, and nothing in the loop detaches
or resets it: backward runs through all past batches, and fails or slows down.

## When it is fine
A state that is detached or newly created in the loop, also by a called function.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    for step in loop.steps:
        if (
            not isinstance(step, Assignment)
            or step.loops != loop.backwards[0].loops
            or step.depth != loop.backwards[0].depth
        ):
            continue
        if not any(node is step.node for node in ast.walk(loop.loop.node)):
            continue  # in a called function, whose state is new in each call
        for name in _carried(step.node):
            if not _renewed(loop.loop.node, step.node, name) and _is_model(loop, step):
                yield Evidence(
                    where=step.spot.where,
                    saw=f"`{name}` goes in and is reassigned here, but never detached in the loop at {loop.loop.spot}",
                    wanted=f"`{name}` without the graph of the last batch",
                    do=f"put `{name} = {name}.detach()` before this line (each part of it, if it is a tuple)",
                )


def _is_model(loop: TrainingLoop, step: Assignment) -> bool:
    return any(
        isinstance(c, Call) and c.node is step.node.value and c.target.startswith(("call.", "layer.", "model."))
        for c in loop.steps
    )


def _carried(node: ast.AST) -> list[str]:
    if (
        not isinstance(node, ast.Assign)
        or not isinstance(node.value, ast.Call)
        or not isinstance(node.targets[0], ast.Tuple)
    ):
        return []
    out = {each.id for each in node.targets[0].elts if isinstance(each, ast.Name)}
    given = [arg.id for arg in node.value.args[1:] if isinstance(arg, ast.Name)]
    return [name for name in given if name in out]


def _renewed(loop: ast.AST, own: ast.AST, name: str) -> bool:
    for node in ast.walk(loop):
        if isinstance(node, ast.Assign) and node is not own:
            targets = {t.id for target in node.targets for t in ast.walk(target) if isinstance(t, ast.Name)}
            if name in targets:
                return True
        if (
            isinstance(node, ast.Attribute)
            and node.attr in ("detach_", "data", "zero_")
            and name in {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        ):
            return True
    return False


CHECK = Check(
    id="FL722",
    summary="a recurrent state carries the graph of all past batches along",
    causes=("train-state-leak",),
    likely="the state is not detached between batches",
    fix="detach the state before each batch",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
    at_work="graph-grows",
)
