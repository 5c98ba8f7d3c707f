"""Regularization is so strong that hardly anything is learned.

## What it sees
Two copies of the program run from the same first batch: one as it is, one with dropout, weight decay and label
smoothing off. Both are measured in eval mode at the end, so that dropout's own noise does not count. The first has
learned only a small part of what the second has.

## When it is fine
Regularization is meant to slow the fit to the training data, and a healthy model lags behind a little. A program that
is known to learn from its data is reported only if it has learned almost nothing of what the copy without
regularization has. A program that gets most of the way later on is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast


class Limits(Settable):
    learnt_without: float = 0.5
    """Share of the first loss that the unregularized copy must have lost for a meaningful comparison."""
    part: float = 0.4
    """Largest share of that loss that the regularized copy has lost; with half the units dropped it is usually over
    four fifths."""
    little_without: float = 0.2
    """The same share as the first if the regularized copy has learned almost nothing: in some tasks noise keeps the
    loss from falling further."""
    nothing: float = 0.1
    """Largest share of what the unregularized copy lost that counts as almost nothing."""


def find(contrast: Contrast, limits: Limits) -> Found:
    with_it, without = contrast.of("regularised"), contrast.of("unregularised")
    if with_it is None or without is None or not (with_it.other.finite and without.other.finite):
        return
    first = without.other.first
    learnt, possible = first - with_it.other.last, first - without.other.last
    drowned = not contrast.certified and possible >= limits.learnt_without * first and learnt <= limits.part * possible
    silenced = possible >= limits.little_without * first and learnt <= limits.nothing * possible
    if not (first > 0 and (drowned or silenced)) or contrast.gets_there(first, limits.part * possible):
        return
    yield Evidence(
        where=at(contrast.loss_site, rank=contrast.rank),
        saw=f"after {with_it.steps} steps the loss in eval mode is {with_it.other.last:.3g}; from the same start "
        f"without dropout, weight decay and label smoothing it is {without.other.last:.3g}",
        wanted=f"most of the way from {first:.3g} to {without.other.last:.3g}",
        numbers={"with": with_it.other.last, "without": without.other.last, "first": first},
    )


CHECK = Check(
    id="FL503",
    summary="regularization is so strong that hardly anything is learned",
    causes=("hp-regularisation",),
    likely="a dropout probability given as the share to keep, or a weight decay meant for another optimizer",
    fix="print the dropout probabilities and the weight decay in use; halve the largest and check again",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
