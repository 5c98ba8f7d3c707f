"""Errors cancel in the loss: those of opposite sign, or the size of all outputs together.

## What it sees
For one batch the network's outputs are moved, some up and others down by the same total, first a little and then far.
The loss is computed again, no matter who wrote it. It stays the same, although a shift of all outputs changes it: only
their sum is compared with the targets. Examples are a mean taken before the square, and a batch's mean prediction
compared with its mean target.

Or one number is wanted of each example, and the loss stays the same if all outputs are made a tenth, ten times or far
larger, although a shift changes it: a cosine over the batch tells how the numbers lie to each other, but not how large
they are.

## When it is fine
Learning from totals alone, where the target of a single example is not known. A term that compares means next to others
that compare examples is not reported, nor is a comparison with a network's own output, as in adversarial training. A
correlation does not change by a shift either: it asks for an order alone, and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import SCALE, CancelSeen


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
    if cancelling.axis == SCALE:
        yield _of_any_size(cancelling)
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


def _of_any_size(seen: CancelSeen) -> Evidence:
    return Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"multiplying all {seen.length} outputs by one factor changes the loss by {seen.moved:.2g}, "
        f"and shifting them by {seen.shifted:.3g}",
        wanted="a loss that is lowest where the outputs equal the targets",
        cause="loss-mismatch",
        severity=Severity.WARNING,
        confidence=OF_ANY_SIZE,
        likely="a similarity of directions is used where the size of the numbers counts",
        do="use a squared or absolute error of each example",
        numbers={"moved": seen.moved, "shifted": seen.shifted, "loss": seen.loss},
    )


OF_ANY_SIZE = 0.85
"""Confidence of that: the numbers may be scaled afterwards, by something fitted to the targets."""
CHECK = Check(
    id="FL220",
    summary="errors cancel in the loss",
    causes=("loss-dim", "loss-mismatch"),
    likely="a mean or sum over the examples is taken before the difference is squared instead of after",
    fix="square (or take the absolute value of) each example's error first, and take the mean last",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
