"""The weights that are kept are the ones that did worst.

## What it sees
A metric is compared with the best value so far, and the wrong direction counts as better: a larger loss, or a smaller
accuracy. A rehearsal identifies the metric by comparing it with the loss and the accuracy of the same evaluation; if it
equals neither, its name decides. The same goes for the metric given to `ReduceLROnPlateau`, to a Lightning callback, or
to the Hugging Face Trainer (`metric_for_best_model`; larger is better for it unless the name ends in `loss`).

## When it is fine
A program may look for the hardest case on purpose. A metric that is not recognised, by value or by name, is not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.directions import grows
from firstlight.records.selection import Selection

IMPROVES_UPWARDS = {"loss": False, "loss, negated": True, "accuracy": True, "score": True, "error rate": False}


class Limits(Settable):
    by_name: float = 0.85
    """Confidence if only its name shows what the metric is."""


def find(selection: Selection, limits: Limits) -> Found:
    upwards = IMPROVES_UPWARDS.get(selection.measures, _by_name(selection))
    if upwards is None or upwards == selection.larger:
        return
    measured = bool(selection.measures)
    what = f"the {selection.measures} of each evaluation" if measured else "by its name a number that improves"
    way, other = ("larger", "smaller") if selection.larger else ("smaller", "larger")
    told = f"`{selection.metric}` is {what}" + ("" if measured else f" by getting {other}")
    kept = selection.kind == "kept"
    does = f"a {way} value counts as better"
    if not kept:
        does = f"the schedule's mode is `{'max' if selection.larger else 'min'}`"
    yield Evidence(
        where=at(selection.site, step=selection.step, rank=selection.rank),
        saw=f"{told}, and {does}",
        wanted=f"a {other} value to count as better",
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
    summary="the comparison runs backwards: the weights kept are the ones that did worst",
    causes=("train-metric", "train-schedule"),
    likely="the comparison is reversed, or was left unchanged when a score replaced the loss",
    fix="reverse the comparison (or `mode`), and start from `-inf` for a score and `inf` for a loss",
    severity=Severity.ERROR,
    confidence=0.96,
    find=find,
)
