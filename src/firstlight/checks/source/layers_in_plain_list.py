"""Layers are kept in a Python list or dict, where the model does not find them.

## What it sees
A module assigns a plain list, tuple or dict of layers with parameters to an attribute, or appends one to such a list.
`model.parameters()` does not return them: they are neither trained, nor moved to a device, nor saved.

## When it is fine
A list that is later put into `nn.ModuleList`, `nn.Sequential` or `add_module` is not reported.
"""

import ast
import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, Call, SourceFile, Value

WITHOUT_PARAMETERS = re.compile(
    r"(ReLU|GELU|SiLU|ELU|Tanh|Sigmoid|Softmax|Dropout|Pool|Flatten|Identity|Loss|Upsample|Pad|Shuffle|Fold)"
)
REGISTERING = (
    "ModuleList",
    "ModuleDict",
    "Sequential",
    "add_module",
    "register_module",
    "setattr",
    "__setattr__",
    "parameters",
)


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        for step in trace.steps:
            if step.spot.file != source.path:
                continue
            if isinstance(step, Assignment):
                container, attribute = step.value, step.target.removeprefix("self.")
                held = container.items if container.kind in ("list", "tuple", "dict") and _on_module(step.owner) else ()
            else:
                attribute = _attribute(step.node) if step.target == "list.append" else ""
                held = step.args if attribute and _on_module(step.receiver) else ()
            if not attribute.isidentifier() or not any(_has_parameters(item) for item in held):
                continue
            if not _registered(source, step, attribute):
                yield _evidence(source, step, attribute)


def _evidence(source: SourceFile, step: Call | Assignment, attribute: str) -> Evidence:
    kind = step.value.kind if isinstance(step, Assignment) else "list"
    proper = "nn.ModuleDict" if kind == "dict" else "nn.ModuleList"
    return Evidence(
        where=step.spot.where,
        saw=f"`self.{attribute}` is a plain {kind} of layers",
        wanted=f"an `{proper}`, which registers them",
        do=f"wrap the {kind} in `{proper}(…)`",
    )


def _on_module(owner: Value) -> bool:
    return owner.kind == "instance" and bool(getattr(owner.definition, "is_module", False))


def _has_parameters(item: Value) -> bool:
    if item.kind in ("list", "tuple"):
        return any(_has_parameters(inner) for inner in item.items)
    if item.key.startswith("self."):
        return False  # registered under a name of its own
    if item.kind == "instance":
        return bool(getattr(item.definition, "holds_parameters", False))
    return item.kind == "layer" and item.name.startswith("torch.nn.") and not WITHOUT_PARAMETERS.search(item.name)


def _attribute(node: ast.Call) -> str:
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    own = isinstance(holder, ast.Attribute) and isinstance(holder.value, ast.Name) and holder.value.id == "self"
    return holder.attr if own and isinstance(holder, ast.Attribute) else ""


def _registered(source: SourceFile, step: Call | Assignment, attribute: str) -> bool:
    """Whether the class passes the same attribute to something that registers layers."""
    for kind in source.nodes(ast.ClassDef):
        if not kind.lineno <= step.spot.line <= (kind.end_lineno or 0):
            continue
        for node in ast.walk(kind):
            name = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            if name in REGISTERING and (
                name in ("setattr", "__setattr__", "add_module") or attribute in ast.dump(node)
            ):
                return True
    return False


CHECK = Check(
    id="FL730",
    summary="layers in a plain Python container are never trained",
    causes=("train-params-missing",),
    likely="a Python list is used where `nn.ModuleList` is needed",
    fix="use `nn.ModuleList` or `nn.ModuleDict`",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
    at_work="modules-in-plain-container",
)
