"""A schedule of the learning rate is made and never stepped.

## What it sees
A file that steps an optimizer makes a schedule, and never calls its `step` nor hands it to anything that could: the
rate stays what it was at the beginning, which under a warm-up is next to nothing.

## When it is fine
A schedule that is passed on, returned, or kept in a list or an attribute that another file may read is left alone.
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
                saw=f"`{name}`, a `{kind}`, is made here, and nothing in this file steps it or passes it on",
                wanted=f"`{name}.step()` after `optimizer.step()`, as often as its numbers count",
            )


def _made(source: SourceFile) -> dict[str, Assignment]:
    """Schedules of torch or transformers, by the name they are given where they are made."""
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
    """An attribute other than of `self` belongs to somebody else."""
    return "." in name and not name.startswith("self.")


CHECK = Check(
    id="FL792",
    summary="a schedule of the learning rate is made and never stepped",
    causes=("train-schedule",),
    likely="`scheduler.step()` was forgotten, so that the rate stays where the schedule begins",
    fix="step the schedule after the optimizer, once per batch or epoch as it was made for, or remove it",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
