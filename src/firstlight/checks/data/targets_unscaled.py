"""The targets of a regression are large numbers in their raw unit.

## What it sees
The targets lie far from zero, or spread widely, compared with what the model predicts in its first steps. A copy of the
program with standardized targets decides: it is reported if that copy learns, by its own measure, and the program
hardly does.

## When it is fine
A model that scales its output itself, or an optimizer whose steps are large enough, gets there all the same; the copy
then learns no better.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import LossSite

REGRESSION = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


class Limits(Settable):
    size: float = 20.0
    """Smallest mean or standard deviation of the targets; a fresh model predicts values of about 1."""
    reached: float = 0.2
    """Largest prediction over the size of the targets; beyond it the model is already there."""


def find(loss: LossSite, limits: Limits) -> Found:
    target, given = loss.target, loss.began or loss.prediction
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
        wanted="targets about as large as the model's outputs",
        numbers={"mean": target.mean, "deviation": target.std, "given": given.high},
    )


CHECK = Check(
    id="FL106",
    summary="the targets are far larger than anything the model predicts",
    causes=("data-scale",),
    likely="targets in their raw unit (prices, meters, counts)",
    fix="standardize the targets with the statistics of the training set, and undo it when predicting",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.5,
    find=find,
    repairs=("targets-standardised",),
)
