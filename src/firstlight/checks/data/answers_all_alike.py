"""Every label that counts is the same.

## What it sees
Over all batches that were looked at, the targets of a loss over several classes, ignored ones left out, are one and
the same class: there is nothing to learn but to say it always.

## When it is fine
A data set whose first batches hold a single class because it is sorted is told by `labels-come-sorted` once the
second class comes.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    calls: int = 8
    """Batches; fewer may be of one class by chance."""
    classes: int = 3
    """With two, real and fake examples may be judged on lines of their own."""


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
        likely="the mask over the labels covers the answers themselves" if masked else None,
        numbers={"class": loss.lowest, "ignored": loss.most_ignored},
    )


CHECK = Check(
    id="FL107",
    summary="every label that counts is the same",
    causes=("data-labels-masked", "data-schema"),
    likely="the labels were lost on the way: filled with a default, or read from the wrong column",
    fix="print the targets of a few batches where the loss is called, ignored ones left out",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
