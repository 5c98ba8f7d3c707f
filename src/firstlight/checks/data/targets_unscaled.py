"""The targets of a regression are large numbers in their own unit.

## What it sees
The targets lie far from zero, or spread widely, against what the model gives in its first steps. A copy of the
program with standardised targets decides: it is reported when that copy learns, by its own measure, and the program
hardly does.

## When it is fine
A model that scales its output itself, and an optimizer whose steps are large enough, get there all the same; the
copy then learns no better.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite

REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


class Limits(Settable):
    size: float = 20.0
    """Mean or deviation of the targets; a fresh model gives values of about 1."""
    reached: float = 0.2
    """Range of the predictions over the size of the targets: beyond it the model is already there."""


def find(loss: LossSite, limits: Limits) -> Found:
    target, given = loss.target, loss.prediction
    if target is None or loss.function not in REGRESSION:
        return
    size = max(target.std, abs(target.mean))
    short = all(abs(reached) <= limits.reached * size for reached in (given.low, given.high))
    if not (short and size >= limits.size and math.isfinite(target.mean)):
        return
    yield Evidence(
        where=at(loss.site, step=loss.first_step, rank=loss.rank),
        saw=f"targets from {target.low:.4g} to {target.high:.4g} (mean {target.mean:.4g}, deviation {target.std:.3g}); "
        f"predictions from {given.low:.3g} to {given.high:.3g}",
        wanted="targets of about the size of the model's outputs",
        numbers={"mean": target.mean, "deviation": target.std, "given": given.high},
    )


CHECK = Check(
    id="FL106",
    summary="the targets are far larger than anything the model gives",
    causes=("data-scale",),
    likely="targets in their raw unit (prices, metres, counts)",
    fix="standardise the targets with statistics of the training set, and undo it when predicting",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.5,
    find=find,
    repairs=("targets-standardised",),
)
