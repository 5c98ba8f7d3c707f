"""All labels that count in the loss belong to the same class.

## What it sees
In all batches looked at, the targets of a classification loss are one and the same class once ignored targets are left
out. The model can only learn to always predict that class.

## When it is fine
A dataset whose first batches hold a single class because it is sorted is reported by `labels-come-sorted` once the
second class appears.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    calls: int = 8
    """Fewest batches; fewer may hold a single class by chance."""
    classes: int = 3
    """Fewest classes of the loss; with two, real and fake examples may each have a line of their own."""


def find(loss: LossSite, limits: Limits) -> Found:
    if loss.lowest is None or loss.lowest != loss.highest or loss.calls < limits.calls:
        return
    if (loss.most_classes or 0) < limits.classes:
        return
    masked = loss.most_ignored > 0
    left = f", with {loss.most_ignored:.0%} of the targets ignored" if masked else ""
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"all targets of {loss.calls} batches of `{loss.function}` are class {loss.lowest:.0f}{left}",
        wanted=f"labels of more than one of the {loss.most_classes} classes",
        cause="data-labels-masked" if masked else "data-schema",
        likely="the mask over the labels also hides the labels that should count" if masked else None,
        numbers={"class": loss.lowest, "ignored": loss.most_ignored},
    )


CHECK = Check(
    id="FL107",
    summary="all labels that count are the same class",
    causes=("data-labels-masked", "data-schema"),
    likely="the labels were lost along the way: filled with a default value, or read from the wrong column",
    fix="print the targets of a few batches at the line of the loss, without the ignored ones",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
