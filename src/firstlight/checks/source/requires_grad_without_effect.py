"""`requires_grad` is set where torch ignores it: misspelled, or on a module.

## What it sees
An assignment to an attribute named almost like `requires_grad`, or `model.requires_grad = False` where `model` is a
module. Python accepts both and creates a new attribute: no parameter changes.

## When it is fine
On a tensor or a parameter the same line is right and not reported.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.finding import Edit
from firstlight.records.source import Assignment, SourceFile, Value

MISSPELT = frozenset(
    "require_grad requires_grads required_grad require_grads requiers_grad requries_grad requiregrad requires_gradient "
    "require_gradient requires_grad_".split()
)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for node in source.nodes(ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Attribute) and target.attr in MISSPELT:
                yield Evidence(
                    where=source.spot(node).where,
                    saw=f"`{target.attr}` is assigned, which is not an attribute that torch reads",
                    wanted="`requires_grad`",
                    do="write `requires_grad`",
                    edits=(_respelt(target, target.end_lineno or node.lineno, target.end_col_offset or 0),),
                )
    for step in (step for trace in source.traces for step in trace.steps):
        if not isinstance(step, Assignment) or not step.target.endswith(".requires_grad"):
            continue
        name = step.target.removesuffix(".requires_grad")
        if name == "self" or not _is_module(step.owner):  # a module may have a setting of this name
            continue
        yield Evidence(
            where=step.spot.where,
            saw=f"`{step.target}` is assigned, and `{name}` is a module",
            wanted=f"`{name}.requires_grad_({step.value.const})`, which sets it on every parameter",
        )


def _respelt(target: ast.Attribute, line: int, column: int) -> Edit:
    begin = column - len(target.attr)
    return Edit(line=line, column=begin, end_line=line, end_column=column, text="requires_grad")


def _is_module(owner: Value) -> bool:
    if owner.kind == "instance":
        return bool(getattr(owner.definition, "is_module", False))
    return owner.kind == "layer"


CHECK = Check(
    id="FL795",
    summary="`requires_grad` is misspelled or set on a module, which changes no parameter",
    causes=("train-frozen",),
    likely="a typo, or the method `requires_grad_()` was meant",
    fix="call `module.requires_grad_(False)`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="requires-grad-on-module",
    since="0.2",
)
