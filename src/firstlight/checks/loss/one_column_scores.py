"""Cross-entropy is given scores for a single class.

## What it sees
The scores given to `cross_entropy` have one column at every call. A softmax over one score is 1 whatever the score
is: the loss is always 0, and so is its gradient. Nothing complains where the labels are all 0 or have the shape of
the scores.

## When it is fine
Never with one column throughout. A list of candidates that is sometimes one long is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    calls: int = 3
    """A list of candidates may be one long for a call or two."""


def find(loss: LossSite, limits: Limits) -> Found:
    if loss.function != "cross_entropy" or loss.most_classes != 1 or loss.calls < limits.calls:
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"scores of shape {'×'.join(map(str, loss.prediction.shape))}: one class, whose softmax is always 1 "
        "and whose loss is always 0",
        wanted="one column a class, two at least",
        numbers={"calls": loss.calls, "classes": 1},
    )


CHECK = Check(
    id="FL210",
    summary="cross-entropy over a single class is always 0 and teaches nothing",
    causes=("loss-mismatch",),
    likely="a single output for a yes-or-no question, which needs a sigmoid and not a softmax",
    fix="use `binary_cross_entropy_with_logits` with floating-point targets of the same shape, or give two outputs",
    severity=Severity.ERROR,
    confidence=0.98,
    find=find,
)
