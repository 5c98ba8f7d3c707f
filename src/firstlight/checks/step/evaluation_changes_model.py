"""After each evaluation, training continues with a model other than the one the last step left.

## What it sees
In a rehearsal, weights and running statistics are compared between a step and the next training call. They differ after
every evaluation, and never between steps without an evaluation. If only the running statistics differ, although the
model is also evaluated in eval mode, this is a note: some evaluation runs in train mode.

## When it is fine
Averaged weights may be swapped in for an evaluation and swapped back. Weights may be pruned round by round. For a
program that resets weights on purpose at the end of each epoch, where it also evaluates, allow the check by name.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.evaluated import EvaluationLeaves


class Limits(Settable):
    evaluations: int = 2
    """Fewest evaluations; a change after a single one may be an intended restart."""


def find(left: EvaluationLeaves, limits: Limits) -> Found:
    if left.between or left.evaluations < limits.evaluations:
        return
    if left.weights == left.evaluations:
        yield _evidence(left, "weights", left.weights, None)
    elif left.statistics == left.evaluations and left.in_eval:
        yield _evidence(left, "running statistics", left.statistics, Severity.NOTE)


def _evidence(left: EvaluationLeaves, what: str, times: int, severity: Severity | None) -> Evidence:
    return Evidence(
        where=at(left.site, module=left.model, rank=left.rank),
        saw=f"after {times} of {left.evaluations} evaluations training continued with other {what} of `{left.model}` "
        "than the step before had left; between steps without an evaluation it never did",
        wanted="an evaluation that leaves the model as it was",
        severity=severity,
        numbers={"evaluations": left.evaluations, "times": times},
    )


CHECK = Check(
    id="FL349",
    summary="after each evaluation, training continues with a model other than the last step left",
    causes=("train-state-leak", "train-mode"),
    likely="averaged or restored weights are loaded for the evaluation and never swapped back",
    fix="evaluate a copy, or put the weights back: `model.load_state_dict(own)` after the evaluation",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
