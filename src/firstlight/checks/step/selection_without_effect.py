"""Model selection has no effect: nothing, everything, or the live model itself is kept as the best.

## What it sees
In a rehearsal, the best value so far starts where nothing can beat it (`inf` for a score, 0 for a loss), so nothing is
ever kept; or it is never set to the value that beat it, so whatever comes last is kept; or the model is only given
another name (`best_model = model`) and keeps changing under both.

## When it is fine
A best value that is updated whenever it is beaten is fine. A threshold whose name does not say "best" is not checked.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.selection import Selection


class Limits(Settable):
    times: int = 2
    """Fewest comparisons seen; a best value that is updated has moved after the first."""


def find(selection: Selection, limits: Limits) -> Found:
    if selection.kind != "kept" or min(len(selection.met), len(selection.against)) < limits.times:
        return
    if selection.itself and selection.kept:
        saw = f"`{selection.itself}` is kept under another name, and keeps training"
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
        wanted="a copy of the weights whenever the value is better than all before it",
        numbers={"times": selection.times, "kept": selection.kept},
    )


def _stays(selection: Selection) -> bool:
    """A best value that the source does set may have started over, with another fold."""
    always = selection.kept == selection.times and not selection.noted
    changes = any(one < another for one in selection.met for another in selection.met)
    return always and len(set(selection.against)) == 1 and changes


def _out_of_reach(selection: Selection) -> bool:
    if all(map(math.isinf, selection.against)):
        return True
    return not selection.larger and max(selection.against) <= 0 and min(selection.met) > 0


CHECK = Check(
    id="FL341",
    summary="the weights that are kept are not the ones that did best",
    causes=("train-metric",),
    likely="the best value starts at the wrong end or is never set, or the kept weights are not copied",
    fix="start from `inf` for a loss and `-inf` for a score, set it when it is beaten, and keep a copy of the weights",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
