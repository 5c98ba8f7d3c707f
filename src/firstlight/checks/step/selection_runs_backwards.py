"""The weights that are kept are those that did worst.

## What it sees
A number is held against the best so far, and the wrong one of the two counts as better: a loss where it is larger, a
share of right answers where it is smaller. What the number is was measured in a rehearsal, where it equals the loss or
the accuracy of the same evaluation; where it does not, its name is asked. The same goes for the number that
`ReduceLROnPlateau` or a callback of Lightning is given.

## When it is fine
Looking for the hardest case on purpose. A number that was not recognised and whose name says nothing is not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.directions import grows
from firstlight.records.selection import Selection

IMPROVES_UPWARDS = {"loss": False, "loss, negated": True, "accuracy": True, "score": True, "error rate": False}


class Limits(Settable):
    by_name: float = 0.85
    """Confidence where only the name tells what the number is."""


def find(selection: Selection, limits: Limits) -> Found:
    upwards = IMPROVES_UPWARDS.get(selection.measures, _by_name(selection))
    if upwards is None or upwards == selection.larger:
        return
    measured = bool(selection.measures)
    what = f"the {selection.measures} of each evaluation" if measured else "by its name a number that improves"
    way, other = ("larger", "smaller") if selection.larger else ("smaller", "larger")
    told = f"`{selection.metric}` is {what}" + ("" if measured else f" by getting {other}")
    kept = selection.kind == "kept"
    does = f"it is taken for better where it is {way}"
    if not kept:
        does = f"the schedule's mode is `{'max' if selection.larger else 'min'}`"
    yield Evidence(
        where=at(selection.site, step=selection.step, rank=selection.rank),
        saw=f"{told}, and {does}",
        wanted=f"the {other} one taken for better",
        cause=None if kept else "train-schedule",
        severity=None if measured else Severity.WARNING,
        confidence=None if measured else limits.by_name,
        numbers={"times": selection.times, "kept": selection.kept},
    )


def _by_name(selection: Selection) -> bool | None:
    found = {way for name in (selection.metric, selection.best) if (way := grows(name)) is not None}
    if len(found) != 1:
        return None
    return found.pop() != selection.metric.startswith("-")


CHECK = Check(
    id="FL340",
    summary="what counts as better is worse: the weights kept are those that did worst",
    causes=("train-metric", "train-schedule"),
    likely="the comparison was turned round, or kept when the loss was exchanged for a score",
    fix="turn the comparison (or `mode`) round, and begin with `-inf` for a score and `inf` for a loss",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
