"""A layer is replaced after the optimizer was built, so the new one is never trained.

## What it sees
`optimizer = …(model.parameters())`; further down a new layer is assigned to an attribute of that model, and the
optimizer is stepped after that.

## When it is fine
`add_param_group`, or a second optimizer after the replacement, counts as the remedy and is not reported.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, Call, SourceFile, Trace, Value


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        held: dict[str, Call] = {}
        for step in trace.steps:
            if isinstance(step, Call):
                if step.result.kind == "optimizer" and step.depth == 0:
                    held |= {value.key: step for value in _models(step) if value.key}
                elif step.target.endswith(".add_param_group"):
                    held.clear()
                continue
            name = step.target.rpartition(".")[0]
            owner = next((key for key in held if name == key or name.startswith(f"{key}.")), None)
            if owner is not None and _is_new(step.value) and step.depth == 0 and _trained(trace, step):
                yield Evidence(
                    where=step.spot.where,
                    saw=f"`{step.target}` is replaced here, after the optimizer was built at {held[owner].spot}",
                    wanted="an optimizer that holds the new layer",
                )


def _is_new(value: Value) -> bool:
    if value.kind == "instance":
        return bool(getattr(value.definition, "holds_parameters", False))
    return (
        value.kind == "layer"
        and re.search(r"Linear|Conv|Norm|LSTM|GRU|RNN|Embedding|Sequential", value.name) is not None
    )


def _models(call: Call) -> list[Value]:
    return [value.items[0] for value in (*call.args, *call.keywords.values()) if value.kind == "params" and value.items]


def _trained(trace: Trace, swap: Assignment) -> bool:
    """Whether the old optimizer is still used after the swap, and no other takes its place."""
    later = trace.steps[next(i for i, step in enumerate(trace.steps) if step is swap) :]
    calls = [step for step in later if isinstance(step, Call)]
    remade = any(call.result.kind == "optimizer" or "add_param_group" in call.target for call in calls)
    return not remade and any(call.target in ("optimizer.step", "scaler.step") for call in calls)


CHECK = Check(
    id="FL732",
    summary="a layer replaced after the optimizer was built is never trained",
    causes=("train-params-missing",),
    likely="the head is replaced below the line that builds the optimizer",
    fix="build the optimizer after the model is complete",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
    at_work="parameters-not-optimized",
)
