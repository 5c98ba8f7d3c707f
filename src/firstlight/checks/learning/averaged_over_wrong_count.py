"""A metric is a sum over an evaluation, divided by the number of something else.

## What it sees
In a rehearsal, the losses and right answers of an evaluation are heard as they are computed, and the divisions of the
program's own. A sum of right answers is divided by the number of batches, or by more examples than were asked; a sum
of the batches' mean losses is divided by the number of examples; what the last batch gave, alone, is divided by the
number of all. So is any other score that is taken from the answers (an overlap, a hit rate), where each batch's is
weighted by its examples and the sum is divided by the number of batches. As a note: the batches' means are averaged
although the batches differ in size, so that the examples of a small last batch count for more than the others.

## When it is fine
Where only some of the answers count, as unmasked places do, a smaller divisor is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.averages import Averaged


class Limits(Settable):
    apart: float = 0.01
    """Of what was meant; a mean over batches that is nearer to it misleads nobody."""


def find(averaged: Averaged, limits: Limits) -> Found:
    if not averaged.sure or not averaged.meant:
        return
    if not abs(averaged.value - averaged.meant) > limits.apart * abs(averaged.meant):
        return
    even = averaged.of_batches and averaged.by == averaged.batches and not averaged.of_last
    if even and not averaged.unequal:
        return
    unit = "a batch's mean each" if averaged.of_batches else "one of each example"
    batches = f"{averaged.batches} batches" if averaged.batches > 1 else "one batch"
    what = f"a sum of {averaged.what} ({unit}, of {averaged.examples} examples in {batches})"
    if averaged.of_last:
        what = f"what the last of {averaged.batches} batches gave in {averaged.what}, alone,"
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
    summary="a metric is a sum over an evaluation, divided by the number of something else",
    causes=("train-metric",),
    likely="examples are added up and batches counted, or the other way round",
    fix="add up one number of each example (`loss.item() * len(batch)`), and divide by how many examples there were",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
