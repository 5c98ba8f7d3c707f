"""Information from the test data, or a copy of it, is in the training data, because the split comes too late.

## What it sees
A scikit-learn transformer is fitted on data that is split into training and test set further down in the same function;
one that also gets the labels may have put them into the features. Or the result of `fit_resample` (SMOTE,
RandomOverSampler and similar) is passed to `train_test_split`: copies of test examples are trained on.

## When it is fine
Fitting on the training part, or inside a `Pipeline`, is right. Encoders of labels are not checked. Undersampling makes
no copies and is not reported.
"""

import ast

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity
from firstlight.records.source import Assignment, Call, SourceFile, Trace

FITTING = ("learner.fit_transform", "learner.fit")
SPLIT = "sklearn.model_selection.train_test_split"


def find(source: SourceFile, _limits: NoLimits) -> Found:
    for trace in source.traces:
        yield from _fitted(trace)
        if "imblearn" in source.imports:
            yield from _resampled(trace)


def _fitted(trace: Trace) -> Found:
    fitted: dict[str, Call] = {}
    transformed: dict[str, Call] = {}
    for step in trace.steps:
        if isinstance(step, Call) and step.target in FITTING and step.node.args:
            fitted |= dict.fromkeys(_names(step.node.args[0]), step)
        elif isinstance(step, Assignment) and isinstance(step.node, ast.Assign):
            by = next((fitted[name] for name in _given(trace, step.node.value) if name in fitted), None)
            transformed |= {step.target: by} if by is not None else {}
        elif isinstance(step, Call) and step.target == SPLIT:
            fit = next((transformed[name] for name in _names(*step.node.args) if name in transformed), None)
            if fit is not None:
                yield Evidence(
                    where=fit.spot.where,
                    saw=f"`{fit.receiver.name.rpartition('.')[2]}` is fitted here on data that is split at {step.spot}",
                    wanted="a fit on the training part alone",
                    cause="data-leak-target" if _with_answers(fit) else None,
                    severity=Severity.WARNING,
                    confidence=0.9,
                    likely="the preprocessing is above the split",
                    do="split first; call `fit` on the training part and `transform` on both",
                )


def _with_answers(fit: Call) -> bool:
    return len(fit.node.args) > 1 or any(keyword.arg == "y" for keyword in fit.node.keywords)


def _given(trace: Trace, value: ast.AST) -> list[str]:
    """The names passed to the transformer call that made the value."""
    calls = {id(call.node): call for call in trace.calls("learner.fit_transform", "learner.transform")}
    return _names(*calls[id(value)].node.args[:1]) if id(value) in calls else []


def _resampled(trace: Trace) -> Found:
    made: dict[str, Assignment] = {}
    for step in trace.steps:
        if isinstance(step, Assignment) and _resamples(step.node):
            made |= dict.fromkeys(_names(*step.node.targets), step)
        elif isinstance(step, Call) and step.target == SPLIT:
            first = next((made[name] for name in _names(*step.node.args) if name in made), None)
            if first is not None:
                yield Evidence(
                    where=first.spot.where,
                    saw=f"examples are resampled here and split at {step.spot}",
                    wanted="a split first, then resampling of the training part alone",
                )


def _names(*nodes: ast.AST) -> list[str]:
    return [each.id for node in nodes for each in ast.walk(node) if isinstance(each, ast.Name)]


def _resamples(node: ast.AST) -> bool:
    call = node.value if isinstance(node, ast.Assign) else None
    name = call.func.attr if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else ""
    return name in ("fit_resample", "fit_sample") and "Under" not in ast.dump(call) and "under" not in ast.dump(call)  # type: ignore[arg-type]  # a call, by its name


CHECK = Check(
    id="FL796",
    summary="the split comes too late: a fit or a resampling before it includes the test data",
    causes=("data-leak-split", "data-leak-target"),
    likely="the classes are balanced above the split",
    fix="split first, then resample the training part",
    severity=Severity.ERROR,
    confidence=0.94,
    find=find,
    since="0.2",
)
