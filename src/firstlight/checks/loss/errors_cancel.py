"""Errors of opposite sign cancel in the loss, so that no single example has to be right.

## What it sees
For one batch the network's outputs are moved, some up and others down by the same total, first a little and then far.
The loss is computed again, no matter who wrote it. It stays the same, although a shift of all outputs changes it: only
their sum is compared with the targets. Examples are a mean taken before the square, and a batch's mean prediction
compared with its mean target.

## When it is fine
Learning from totals alone, where the target of a single example is not known. A term that compares means next to others
that compare examples is not reported, nor is a comparison with a network's own output, as in adversarial training.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import CancelSeen


class Limits(Settable):
    share: float = 1e-3
    """Largest change of the loss by errors that cancel, relative to that by a plain shift: rounding stays below a
    millionth, and any loss that looks at single examples reaches a tenth and more."""
    looks: int = 2
    """Fewest looks; a single batch may be unusual."""


def find(cancelling: CancelSeen, limits: Limits) -> Found:
    if cancelling.looks < limits.looks or not cancelling.shifted > 0:
        return
    if not cancelling.moved <= limits.share * cancelling.shifted:
        return
    over = f"the {cancelling.length} examples of a batch" if cancelling.axis == 0 else f"axis {cancelling.axis}"
    yield Evidence(
        where=at(cancelling.site, step=cancelling.step, rank=cancelling.rank),
        saw=f"moving outputs so that their sum over {over} stays the same changes the loss by {cancelling.moved:.2g}; "
        f"moving all one way by as much, by {cancelling.shifted:.3g}: `{cancelling.operation}` sums before the "
        "errors are measured",
        wanted="a loss that grows with the error of every single example",
        numbers={"moved": cancelling.moved, "shifted": cancelling.shifted, "loss": cancelling.loss},
    )


CHECK = Check(
    id="FL220",
    summary="errors of opposite sign cancel in the loss",
    causes=("loss-dim",),
    likely="a mean or sum over the examples is taken before the difference is squared instead of after",
    fix="square (or take the absolute value of) each example's error first, and take the mean last",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
