"""Cross-entropy is given scores for a single class.

## What it sees
The scores given to `cross_entropy` have one column at every call. A softmax over one score is 1 whatever the score is:
the loss is always 0, and so is its gradient. Nothing complains if the labels are all 0 or have the shape of the scores.

## When it is fine
Never, if there is always only one column. A list of candidates that sometimes has only one entry is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    calls: int = 3
    """Fewest calls; a list of candidates may have a single entry for a call or two."""


def find(loss: LossSite, limits: Limits) -> Found:
    if loss.function != "cross_entropy" or loss.most_classes != 1 or loss.calls < limits.calls:
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"scores of shape {'×'.join(map(str, loss.prediction.shape))}: one class, whose softmax is always 1 "
        "and whose loss is always 0",
        wanted="one column per class, at least two",
        numbers={"calls": loss.calls, "classes": 1},
    )


CHECK = Check(
    id="FL210",
    summary="cross-entropy over a single class is always 0 and teaches nothing",
    causes=("loss-mismatch",),
    likely="a single output for a yes-or-no question, which needs a sigmoid instead of a softmax",
    fix="use `binary_cross_entropy_with_logits` with floating-point targets of the same shape, or use two outputs",
    severity=Severity.ERROR,
    confidence=0.98,
    find=find,
)
