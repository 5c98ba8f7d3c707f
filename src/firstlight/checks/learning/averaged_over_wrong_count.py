"""A metric is summed over an evaluation and divided by the wrong number.

## What it sees
In a rehearsal, the check watches the losses and correct predictions that an evaluation computes, and the program's own
divisions. It reports a sum of correct predictions divided by the number of batches, or by more examples than were
evaluated; a sum of the batches' mean losses divided by the number of examples; and the value of the last batch alone,
divided by the number of all. The same holds for any other score taken from the predictions (an overlap, a hit rate), if
each batch's score is weighted by its examples and the sum is divided by the number of batches. As a note: the batches'
means are averaged although the batches differ in size, so the examples of a small last batch count for more than the
others.

## When it is fine
If only some of the predictions count, such as unmasked positions, a smaller divisor is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.averages import Averaged


class Limits(Settable):
    apart: float = 0.01
    """Smallest relative difference from the intended mean; a smaller one misleads nobody."""


def find(averaged: Averaged, limits: Limits) -> Found:
    if not averaged.sure or not averaged.meant:
        return
    if not abs(averaged.value - averaged.meant) > limits.apart * abs(averaged.meant):
        return
    even = averaged.of_batches and averaged.by == averaged.batches and not averaged.of_last
    if even and not averaged.unequal:
        return
    unit = "one mean per batch" if averaged.of_batches else "one per example"
    batches = f"{averaged.batches} batches" if averaged.batches > 1 else "one batch"
    what = f"a sum of {averaged.what} ({unit}, for {averaged.examples} examples in {batches})"
    if averaged.of_last:
        what = f"what only the last of {averaged.batches} batches gave in {averaged.what}"
    yield Evidence(
        where=at(averaged.site, rank=averaged.rank),
        saw=f"{what} is divided by {averaged.by}, which gives {averaged.value:.4g}",
        wanted=f"the mean over all examples, {averaged.meant:.4g}",
        severity=Severity.NOTE if even else None,
        likely="the last batch is smaller than the others, and its mean counts as much as theirs" if even else None,
        numbers={"by": averaged.by, "examples": averaged.examples, "batches": averaged.batches},
    )


CHECK = Check(
    id="FL553",
    summary="a metric is summed over an evaluation and divided by the wrong number",
    causes=("train-metric",),
    likely="examples are summed but batches are counted, or the other way round",
    fix="sum one number per example (`loss.item() * len(batch)`), and divide by the number of examples",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
