"""The loss ignores every target.

## What it sees
In every call looked at, all targets equal the loss's `ignore_index`: there is nothing to learn from.

## When it is fine
A single batch without valid targets happens in masked language modeling; in all of them it does not.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    least_ignored: float = 0.999
    """Smallest share of ignored targets, in the call that ignores least; a fine-tuning batch keeps more than one in a
    thousand."""
    calls: int = 3
    """Fewest calls; one empty batch is an accident."""


def find(loss: LossSite, limits: Limits) -> Found:
    if loss.calls < limits.calls or not loss.least_ignored >= limits.least_ignored:
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"at least {loss.least_ignored:.1%} of the targets in each of {loss.calls} calls equal `ignore_index`",
        wanted="some targets that count",
        numbers={"least_ignored": loss.least_ignored},
    )


CHECK = Check(
    id="FL103",
    summary="the loss ignores every target",
    causes=("data-labels-masked",),
    likely="the label mask is inverted, or the maximum length cut off the part that is to be predicted",
    fix="count `(labels != -100).sum()` for a few batches where the labels are made",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
