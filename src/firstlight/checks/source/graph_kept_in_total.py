"""A running total keeps the graph of every batch alive.

## What it sees
In a training loop, a loss on which `backward()` is called is added to a total, or appended to a list, without
`item()` or `detach()`: memory grows with every batch.

## When it is fine
Under `no_grad` nothing is kept. A sum or a list that is back-propagated itself, or what is made of it, is not this.
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
            saw=f"`{name}` goes into `{holder}` with the graph it was computed by",
            wanted=f"its number alone: `{name}.item()`, or `{name}.detach()`",
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
    """Names that what is back-propagated is made of, itself or by way of other names."""
    found = {name for root in roots for name in _names(root)}
    for step in reversed(loop.steps):
        if isinstance(step, Assignment) and step.target in found and not step.operator:
            found |= _names(step.node.value)
    return found


def _names(node: ast.AST | None) -> set[str]:
    return {name for each in ast.walk(node) if (name := _name(each))} if node is not None else set()


def _kept(step: Call | Assignment) -> tuple[str, ast.expr, str] | None:
    """The name of the loss, where it stands, and what keeps it."""
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
    summary="the graph of every batch is kept alive by a running total",
    causes=("train-state-leak",),
    likely="a loss is summed up for printing without `item()`",
    fix="add `loss.item()` instead of `loss`",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
