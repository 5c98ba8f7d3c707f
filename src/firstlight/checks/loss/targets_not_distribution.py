"""Cross-entropy is given floating-point targets that are not probabilities over the classes.

## What it sees
The target has the shape of the scores and is floating point, so `cross_entropy` treats its rows as class probabilities,
but their sums are not 1. The usual case is several labels at once (multi-hot rows): softmax then makes the labels
compete with each other.

## When it is fine
Mixup, label smoothing and distillation give rows that sum to 1.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    sum_error: float = 0.05
    """Largest distance of a row's sum from 1; rounded soft labels stay within a few hundredths."""


def find(loss: LossSite, limits: Limits) -> Found:
    error = loss.target_sum_error
    if error is None or not error > limits.sum_error or loss.target is None:
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"the sums of rows of the floating-point target are up to {error:.3g} away from 1 (values "
        f"{loss.target.low:.3g} to {loss.target.high:.3g})",
        wanted="class indices, or rows that sum to 1",
        numbers={"sum_error": error},
    )


CHECK = Check(
    id="FL206",
    summary="cross-entropy is given targets that are not probabilities over the classes",
    causes=("loss-mismatch",),
    likely="several labels can be true at once, which needs one sigmoid per label",
    fix="for several labels at once, use `binary_cross_entropy_with_logits`; for a single label, pass class indices",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
