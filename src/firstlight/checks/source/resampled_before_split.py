"""Oversampling before the split puts copies of test examples into the training set.

## What it sees
What `fit_resample` (SMOTE, RandomOverSampler and the like) returns is given to `train_test_split`.

## When it is fine
Undersampling makes no copies and is not reported.
"""

import ast
from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import Assignment, Call, SourceFile


def find(source: SourceFile, _limits: NoLimits) -> Iterator[Evidence]:
    for trace in source.traces:
        made: dict[str, Assignment] = {}
        for step in trace.steps:
            if isinstance(step, Assignment) and _resamples(step.node) and "imblearn" in source.imports:
                made |= {
                    node.id: step
                    for target in step.node.targets
                    for node in ast.walk(target)
                    if isinstance(node, ast.Name)
                }
            elif isinstance(step, Call) and step.target == "sklearn.model_selection.train_test_split":
                used = [node.id for arg in step.node.args for node in ast.walk(arg) if isinstance(node, ast.Name)]
                first = next((made[name] for name in used if name in made), None)
                if first is not None:
                    yield Evidence(
                        where=first.spot.where,
                        saw=f"examples are resampled here and split at {step.spot}",
                        wanted="a split first, and resampling of the training part alone",
                    )


def _resamples(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Assign) else None
    name = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
    return name in ("fit_resample", "fit_sample") and "Under" not in ast.dump(call) and "under" not in ast.dump(call)  # type: ignore[arg-type]  # a call, by its name


CHECK = Check(
    id="FL751",
    name="resampled-before-split",
    summary="oversampling before the split leaks test examples into training",
    causes=("data-leak-split",),
    likely="balancing was written above the split",
    fix="split first, then resample the training part",
    severity=Severity.ERROR,
    confidence=0.94,
    find=find,
)
