"""`requires_grad` is assigned on a module, which does nothing.

## What it sees
`model.requires_grad = False` where `model` is a module: it makes a new attribute, and every parameter stays as it
was.

## When it is fine
On a tensor or a parameter the same line is right and not reported.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import Assignment, SourceFile, Value


def find(source: SourceFile, _limits: NoLimits) -> Iterator[Evidence]:
    for trace in source.traces:
        for step in trace.steps:
            if (
                not isinstance(step, Assignment)
                or not step.target.endswith(".requires_grad")
                or not _is_module(step.owner)
            ):
                continue
            name = step.target.removesuffix(".requires_grad")
            if name == "self":
                continue  # a module may have a setting of this name
            yield Evidence(
                where=step.spot.where,
                saw=f"`{step.target}` is assigned, and `{name}` is a module",
                wanted=f"`{name}.requires_grad_({step.value.const})`, which sets it on every parameter",
            )


def _is_module(owner: Value) -> bool:
    if owner.kind == "instance":
        return bool(getattr(owner.definition, "is_module", False))
    return owner.kind == "layer"


CHECK = Check(
    id="FL737",
    name="requires-grad-on-whole-module",
    summary="`requires_grad` is set on a module, which changes no parameter",
    causes=("train-frozen",),
    likely="the method `requires_grad_()` was meant",
    fix="call `module.requires_grad_(False)`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="requires-grad-on-module",
)
