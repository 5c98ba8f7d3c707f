"""A short training with the experiment's own optimizer makes no progress.

## What it sees
The losses step by step: the mean of the last quarter is not below that of the first by more than their noise and a
tenth, and they are not at the least they can be already.

## When it is fine
Losses that are not meant to fall (adversarial games, reinforcement learning): declare no `loss`. Warm-ups longer than
the check.
"""

import math
import statistics
from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.declared import MiniTraining
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


class Limits(Settable):
    drop: float = 0.02
    """Of the first quarter's distance to the least possible loss."""
    errors: float = 2.0
    """Standard errors of the difference that the drop must exceed."""
    steps: int = 40
    """Fewer show nothing."""


def find(training: MiniTraining, limits: Limits) -> Iterator[Evidence]:
    losses = training.losses
    if len(losses) < limits.steps or not all(map(math.isfinite, losses)):
        return
    quarter = len(losses) // 4
    first, last = losses[:quarter], losses[-quarter:]
    begun, ended = statistics.fmean(first), statistics.fmean(last)
    error = math.hypot(statistics.pstdev(first), statistics.pstdev(last)) / math.sqrt(quarter)
    room = begun - (training.floor or 0.0)
    if not (room > limits.drop * abs(begun) and begun - ended <= max(limits.drop * room, 0.0)):
        return
    risen = ended - begun > limits.errors * error
    yield Evidence(
        where=at(training.site, step=len(losses), rank=training.rank),
        saw=f"{len(losses)} steps take the loss from {begun:.4g} to {ended:.4g} (means of a quarter each)",
        wanted=f"a drop of at least {limits.drop:.0%}"
        + (f"; the least possible is {training.floor:.3g}" if training.floor is not None else ""),
        cause="hp-lr-high" if risen else None,
        likely="the learning rate is too high, or the sign of the loss is turned" if risen else None,
        numbers={"first": begun, "last": ended, "lr": training.lr},
    )


CHECK = Check(
    id="FL530",
    name="training-stands-still",
    summary="a short training makes no progress",
    causes=("hp-lr-low", "hp-lr-high"),
    likely="the learning rate is too low, parameters are missing from the optimizer, or the loss is cut off from them",
    fix="see whether it can learn two examples by heart (FL531); if it can, raise the learning rate tenfold",
    severity=Severity.WARNING,
    confidence=0.7,
    symptom=True,
    find=find,
)
