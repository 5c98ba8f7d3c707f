"""Regularisation is so strong that hardly anything is learnt.

## What it sees
Two copies of the program ran from the same first batch: one as it is, one with dropout, weight decay and label
smoothing off. Measured in eval mode at the end, so that dropout's own noise does not count, the first has learnt a
small part of what the second has.

## When it is fine
Regularisation is meant to slow the fit to the training data, and a healthy model lags behind a little. One that is
certified to learn from its data is reported only where it has next to nothing of what the copy without has, and none
that gets most of the way later on.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import Contrast


class Limits(Settable):
    learnt_without: float = 0.5
    """Share of the first loss that the unregularised copy must have lost for the comparison to mean something."""
    part: float = 0.4
    """Of that, what the regularised copy has managed; with half the units dropped it is usually over four fifths."""
    little_without: float = 0.2
    """The same share where the regularised copy has learnt next to nothing: noise leaves some losses no further to
    fall."""
    nothing: float = 0.1
    """Of that, what is next to nothing."""


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
    summary="regularisation is so strong that hardly anything is learnt",
    causes=("hp-regularisation",),
    likely="a dropout probability given as the share to keep, or a weight decay meant for another optimizer",
    fix="print the dropout probabilities and the weight decay in use; halve the largest and check again",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
