"""A learning-rate schedule is created and never stepped.

## What it sees
A file that steps an optimizer creates a schedule, and never calls its `step` or passes it to anything that could: the
learning rate keeps its starting value, which under a warm-up is close to zero.

## When it is fine
A schedule that is passed on, returned, or kept in a list or an attribute that another file may read is not reported.
"""

import ast
import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, SourceFile

STEPS = re.compile(r"\.step\(")
MADE = re.compile(r"LR\(|Plateau\(|schedule", re.IGNORECASE)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    if not source.says(STEPS) or not source.says(MADE):
        return
    inner = {id(node.value) for node in source.nodes(ast.Attribute)}
    every = source.nodes(ast.Name, ast.Attribute)
    for name, made in _made(source).items():
        uses = [node for node in every if isinstance(node.ctx, ast.Load) and ast.unparse(node) == name]
        asked = {node.attr for node in source.nodes(ast.Attribute) if ast.unparse(node.value) == name}
        if "step" not in asked and all(id(node) in inner for node in uses):
            kind = made.value.name.rpartition(".")[2]
            yield Evidence(
                where=made.spot.where,
                saw=f"`{name}`, a `{kind}`, is created here, and nothing in this file steps it or passes it on",
                wanted=f"`{name}.step()` after `optimizer.step()`, in the unit of its numbers",
            )


def _made(source: SourceFile) -> dict[str, Assignment]:
    """Schedules of torch or transformers, by the name they are assigned to."""
    return {
        step.target: step
        for trace in source.traces
        for step in trace.steps
        if isinstance(step, Assignment)
        and step.value.kind == "scheduler"
        and step.value.name.startswith(("torch.", "transformers."))
        and isinstance(getattr(step.node, "value", None), ast.Call)
        and not _is_public(step.target)
    }


def _is_public(name: str) -> bool:
    """Whether it is an attribute of something other than `self`, which other code may read."""
    return "." in name and not name.startswith("self.")


CHECK = Check(
    id="FL792",
    summary="a learning-rate schedule is created and never stepped",
    causes=("train-schedule",),
    likely="`scheduler.step()` was forgotten, so the learning rate keeps its starting value",
    fix="step the schedule after the optimizer, once per batch or per epoch as its numbers require, or remove it",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
