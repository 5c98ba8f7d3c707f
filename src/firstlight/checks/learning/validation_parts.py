"""The validation loss rises while the training loss keeps falling.

## What it sees
The last evaluations are each worse than the best one, by more than their own noise, while the training loss kept
falling.

## When it is fine
A rise within the noise of the evaluations is ignored. With label smoothing, strong augmentation or calibration drift
the loss may rise while the metric still improves: look at the metric.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import EvalTrack


class Limits(Settable):
    evaluations: int = 3
    """Fewest evaluations in a row that are worse than the best."""
    worse: float = 0.1
    """Smallest share of the best by which the last one is worse."""
    noises: float = 5.0
    """Smallest rise in multiples of the evaluations' own noise: the best of dozens is two or more below their level by
    chance alone."""


def find(track: EvalTrack, limits: Limits) -> Found:
    if len(track.values) <= limits.evaluations or len(track.train) != len(track.values):
        return
    if not all(map(math.isfinite, track.values)):
        return
    best = min(range(len(track.values)), key=track.values.__getitem__)
    tail = track.values[best + 1 :]
    noise = max(_noise(track.values[: best + 1]), _noise(tail))
    low, last = track.values[best], track.values[-1]
    if len(tail) < limits.evaluations or not low > 0 or not track.train[-1] < track.train[best]:
        return
    if not min(tail[-limits.evaluations :]) > low + limits.noises * noise or not last > low * (1 + limits.worse):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"`{track.name}` was {low:.4g} at its best and is {last:.4g} {len(tail)} evaluations later, while the "
        f"training "
        f"loss went from {track.train[best]:.4g} to {track.train[-1]:.4g}",
        wanted="both falling, or training that stops",
        numbers={"best": low, "last": last, "evaluations": len(tail)},
    )


def _noise(values: Sequence[float]) -> float:
    """How much the steps between evaluations vary."""
    steps = [b - a for a, b in pairwise(values)]
    usual = median(steps) if steps else 0.0
    return median(abs(step - usual) for step in steps) if steps else 0.0


CHECK = Check(
    id="FL578",
    summary="the validation loss rises while the training loss keeps falling",
    causes=("null-overfit", "data-split-shift", "train-mode"),
    likely="the model has begun to memorize the training examples",
    fix="keep the checkpoint of the best evaluation; first check that both splits are preprocessed alike and "
    "evaluated in eval mode",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
