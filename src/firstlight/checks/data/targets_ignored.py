"""Every target is ignored by the loss.

## What it sees
At every observed call, all targets equal the loss's `ignore_index`: there is nothing to learn from.

## When it is fine
A single batch without valid targets happens in masked language modelling; all of them do not.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    least_ignored: float = 0.999
    """Share of the targets, in the call that ignores least; a fine-tuning batch keeps more than one in a thousand."""
    calls: int = 3
    """One empty batch is an accident."""


def find(loss: LossSite, limits: Limits) -> Found:
    if loss.calls < limits.calls or not loss.least_ignored >= limits.least_ignored:
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"at least {loss.least_ignored:.1%} of the targets of each of {loss.calls} calls equal ignore_index",
        wanted="some targets that count",
        numbers={"least_ignored": loss.least_ignored},
    )


CHECK = Check(
    id="FL103",
    summary="the loss ignores every target",
    causes=("data-labels-masked",),
    likely="the mask of the labels is inverted, or the answer was cut off by the maximum length",
    fix="count `(labels != -100).sum()` for a few batches where the labels are made",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
