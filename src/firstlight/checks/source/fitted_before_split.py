"""A scaler or another transformer learns from the test data.

## What it sees
A scikit-learn transformer is fitted on data that is split into training and test set further down, in the same
function: what it learnt of the test set is in the training.

## When it is fine
Fitting on the training part, or inside a `Pipeline`, is right. Encoders of labels are not looked at.
"""

import ast
from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.source import Assignment, Call, SourceFile

FITTING = ("learner.fit_transform", "learner.fit")


def find(source: SourceFile, _limits: NoLimits) -> Iterator[Evidence]:
    for trace in source.traces:
        fitted: dict[str, Call] = {}
        transformed: dict[str, Call] = {}
        for step in trace.steps:
            if isinstance(step, Call) and step.target in FITTING and step.node.args:
                fitted |= dict.fromkeys(_names(step.node.args[0]), step)
            elif isinstance(step, Assignment) and isinstance(step.node, ast.Assign):
                made = next(
                    (
                        call
                        for call in trace.calls("learner.fit_transform", "learner.transform")
                        if call.node is step.node.value
                    ),
                    None,
                )
                if made is not None and any(name in fitted for name in _names(made.node.args[0]) if made.node.args):
                    transformed[step.target] = fitted[
                        next(name for name in _names(made.node.args[0]) if name in fitted)
                    ]
            elif isinstance(step, Call) and step.target == "sklearn.model_selection.train_test_split":
                name = next((name for arg in step.node.args for name in _names(arg) if name in transformed), None)
                if name is not None:
                    yield _evidence(transformed[name], step)


def _evidence(fit: Call, split: Call) -> Evidence:
    return Evidence(
        where=fit.spot.where,
        saw=f"`{fit.receiver.name.rpartition('.')[2]}` is fitted here on data that is split at {split.spot}",
        wanted="a fit on the training part alone",
    )


def _names(node: ast.AST) -> list[str]:
    return [each.id for each in ast.walk(node) if isinstance(each, ast.Name)]


CHECK = Check(
    id="FL750",
    name="fitted-before-split",
    summary="a transformer is fitted on training and test data together",
    causes=("data-leak-split",),
    likely="preprocessing was written above the split",
    fix="split first; call `fit` on the training part and `transform` on both",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
