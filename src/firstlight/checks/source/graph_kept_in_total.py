"""A running total keeps the graph of every batch alive.

## What it sees
In a training loop, a loss on which `backward()` is called is added to a total, or appended to a list, without `item()`
or `detach()`: memory grows with every batch.

## When it is fine
Under `no_grad` nothing is kept. A sum or list on which backward is called itself, or that goes into such a loss, is not
reported.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.finding import Edit
from firstlight.records.source import Assignment, Call, TrainingLoop


def find(loop: TrainingLoop, _limits: NoLimits) -> Found:
    roots = [call.node.func.value for call in loop.backwards if isinstance(call.node.func, ast.Attribute)]
    used, made_of = {_name(root) for root in roots} - {""}, _made_of(roots, loop)
    for step in loop.steps:
        kept = _kept(step)
        if kept is None or step.loops != loop.backwards[0].loops or "no_grad" in step.guards:
            continue
        name, node, holder = kept
        iterated = any(each.text == holder for later in loop.around for each in later.loops)
        if name not in used or holder in made_of or holder == name or iterated:
            continue
        yield Evidence(
            where=step.spot.where,
            saw=f"`{name}` is added to `{holder}` together with its graph",
            wanted=f"only its value: `{name}.item()`, or `{name}.detach()`",
            edits=(
                Edit(
                    line=node.end_lineno or 1,
                    column=node.end_col_offset or 0,
                    end_line=node.end_lineno or 1,
                    end_column=node.end_col_offset or 0,
                    text=".detach()",
                ),
            ),
        )


def _made_of(roots: list[ast.expr], loop: TrainingLoop) -> set[str]:
    """The names that the backpropagated losses are computed from, directly or through other names."""
    found = {name for root in roots for name in _names(root)}
    for step in reversed(loop.steps):
        if isinstance(step, Assignment) and step.target in found and not step.operator:
            found |= _names(step.node.value)
    return found


def _names(node: ast.AST | None) -> set[str]:
    return {name for each in ast.walk(node) if (name := _name(each))} if node is not None else set()


def _kept(step: Call | Assignment) -> tuple[str, ast.expr, str] | None:
    """The name of the loss, its node, and what keeps it."""
    if isinstance(step, Assignment) and step.operator == "+":
        value, node, holder = step.value, step.node.value, step.target
    elif isinstance(step, Call) and step.target in ("list.append", ".append") and len(step.node.args) == 1:
        value, node, holder = step.args[0], step.node.args[0], _name(step.node.func.value)
    else:
        return None
    connected = value.has("loss") and not value.cut and not value.has("number")
    return (_name(node), node, holder) if connected and _name(node) else None


def _name(node: ast.AST) -> str:
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=base), attr=name):
            return f"{base}.{name}"
    return ""


CHECK = Check(
    id="FL720",
    summary="a running total keeps the graph of every batch alive",
    causes=("train-state-leak",),
    likely="a loss is summed for printing without `item()`",
    fix="add `loss.item()` instead of `loss`",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
