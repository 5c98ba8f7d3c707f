"""One class makes up nearly all the labels.

## What it sees
Of the labels that reach the loss, nearly all are of one class; its share is the accuracy of always guessing it. If the
model, many steps into training, predicts only that class, this is a warning, otherwise a note.

## When it is fine
Rare events are rare. Losses with class weights, and samplers that balance the classes, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite


class Limits(Settable):
    share: float = 0.9
    """Smallest share of the labels; an accuracy of nine in ten then means nothing."""
    labels: int = 200
    """Fewest labels; fewer are too small a sample."""
    answered: float = 0.995
    """Smallest share of the model's predictions that are this class; it has then given up on the others."""
    steps: int = 150
    """Fewest steps after which a model should predict something else now and then."""


def find(loss: LossSite, limits: Limits) -> Found:
    total = sum(loss.classes)
    most = max(loss.classes, default=0)
    if total < limits.labels or most < limits.share * total or most == total or loss.weighted:
        return
    major = loss.classes.index(most)
    given = sum(loss.answers)
    late = loss.answered_step >= limits.steps and given >= limits.labels and bool(loss.labels)
    blind = late and loss.answers[major] >= limits.answered * given
    told = f"; after {loss.answered_step} steps the model predicts nothing else" if blind else ""
    yield Evidence(
        where=at(loss.site, rank=loss.rank),
        saw=f"{most / total:.1%} of {total:,} labels are class {major}{told}",
        wanted=f"a metric other than accuracy, since a constant guess already scores {most / total:.1%}",
        severity=Severity.WARNING if blind else Severity.NOTE,
        numbers={"share": most / total, "labels": total, "class": major},
    )


CHECK = Check(
    id="FL157",
    summary="one class makes up nearly all the labels",
    causes=("data-imbalance",),
    likely="the events to be detected are rare, and nothing makes up for it",
    fix="weight the classes in the loss or sample them evenly, and measure recall or average precision",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
