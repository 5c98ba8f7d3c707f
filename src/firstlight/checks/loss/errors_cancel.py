"""Errors of opposite sign cancel in the loss, so that no single example has to be right.

## What it sees
The outputs of the network are moved for a batch, some up and others down by as much in all, a little and then far; and
the loss is computed again, whoever wrote it. It stays the same, where a shift of all outputs changes it: only their sum
is compared with the answers. A mean taken before the square, a batch's mean prediction against its mean target.

## When it is fine
Learning from totals alone, where the answer of a single example is not known. A term that compares means beside others
that compare examples is not reported, nor is one against answers that a network gave, as in adversarial training.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import CancelSeen


class Limits(Settable):
    share: float = 1e-3
    """Of the change by a plain shift, that errors which cancel may bring: rounding stays below a millionth, and any
    loss that looks at single examples reaches a tenth and more."""
    looks: int = 2
    """A single batch may be odd."""


def find(cancelling: CancelSeen, limits: Limits) -> Found:
    if cancelling.looks < limits.looks or not cancelling.shifted > 0:
        return
    if not cancelling.moved <= limits.share * cancelling.shifted:
        return
    over = f"the {cancelling.length} examples of a batch" if cancelling.axis == 0 else f"axis {cancelling.axis}"
    yield Evidence(
        where=at(cancelling.site, step=cancelling.step, rank=cancelling.rank),
        saw=f"outputs moved so that their sum over {over} stays change the loss by {cancelling.moved:.2g}; "
        f"all moved one way by as much, by {cancelling.shifted:.3g}: `{cancelling.operation}` sums before the "
        "errors are measured",
        wanted="a loss that grows with the error of every single example",
        numbers={"moved": cancelling.moved, "shifted": cancelling.shifted, "loss": cancelling.loss},
    )


CHECK = Check(
    id="FL220",
    summary="errors of opposite sign cancel in the loss",
    causes=("loss-dim",),
    likely="a mean or sum over the examples is taken before the difference is squared, not after it",
    fix="square (or take the absolute value of) each example's error first, and take the mean last",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
