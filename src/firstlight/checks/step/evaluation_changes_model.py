"""After each evaluation, training goes on with another model than the last step left.

## What it sees
In a rehearsal, weights and running statistics are compared between a step and the next training call. After every
evaluation the weights are others, and between steps with no evaluation in between they never are. Where only running
statistics are others, although the model is also evaluated in eval mode, this is a note: some evaluation is made in
train mode.

## When it is fine
Averaged weights that are swapped in for an evaluation and swapped back. Weights that are pruned round by round. A
program that sets weights anew at the end of each epoch on purpose, where it also evaluates: allow it by name.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.evaluated import EvaluationLeaves


class Limits(Settable):
    evaluations: int = 2
    """Once may be a restart that was meant."""


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
        saw=f"after {times} of {left.evaluations} evaluations training went on with other {what} of `{left.model}` "
        "than the step before had left; between steps without an evaluation it never did",
        wanted="an evaluation that leaves the model as it was",
        severity=severity,
        numbers={"evaluations": left.evaluations, "times": times},
    )


CHECK = Check(
    id="FL349",
    summary="after each evaluation, training goes on with another model than the last step left",
    causes=("train-state-leak", "train-mode"),
    likely="averaged or restored weights are put into the model for the evaluation and not taken out again",
    fix="evaluate a copy, or put the weights back: `model.load_state_dict(own)` after the evaluation",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
