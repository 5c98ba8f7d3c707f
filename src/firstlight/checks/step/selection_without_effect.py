"""What is chosen is not what is kept: the comparison never holds, always holds, or keeps the model in training itself.

## What it sees
In a rehearsal, the best so far begins where nothing can be better (`inf` for a score, 0 for a loss), so that nothing is
ever kept; or it is never set to the number that beat it, so that whatever comes last is kept; or the model is given
another name (`best_model = model`) and changes under both.

## When it is fine
A best so far that follows the number. A threshold that is not called the best is not looked at.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.selection import Selection


class Limits(Settable):
    times: int = 2
    """Comparisons seen: a best so far that is followed has moved after the first."""


def find(selection: Selection, limits: Limits) -> Found:
    if selection.kind != "kept" or min(len(selection.met), len(selection.against)) < limits.times:
        return
    if selection.itself and selection.kept:
        saw = f"`{selection.itself}` is kept under another name, and goes on training"
    elif not selection.kept and _out_of_reach(selection):
        saw = f"it was never better: `{selection.best}` is {selection.against[0]:g}"
    elif _stays(selection):
        saw = f"it was better all {selection.times} times, as `{selection.best}` stays at {selection.against[0]:g}"
    else:
        return
    numbers = ", ".join(f"{value:.3g}" for value in selection.met[:3])
    yield Evidence(
        where=at(selection.site, step=selection.step, rank=selection.rank),
        saw=f"`{selection.metric}` was {numbers}, and {saw}",
        wanted="a copy of the weights whenever the number is better than all before it",
        numbers={"times": selection.times, "kept": selection.kept},
    )


def _stays(selection: Selection) -> bool:
    """A best that is set where something was better may have begun anew, with another fold."""
    always = selection.kept == selection.times and not selection.noted
    changes = any(one < another for one in selection.met for another in selection.met)
    return always and len(set(selection.against)) == 1 and changes


def _out_of_reach(selection: Selection) -> bool:
    if all(map(math.isinf, selection.against)):
        return True
    return not selection.larger and max(selection.against) <= 0 and min(selection.met) > 0


CHECK = Check(
    id="FL341",
    summary="the weights that are kept are not those that were chosen",
    causes=("train-metric",),
    likely="the best so far begins at the wrong end or is not set, or what is kept is not copied",
    fix="begin with `inf` for a loss and `-inf` for a score, set it where something is better, and keep a copy",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
