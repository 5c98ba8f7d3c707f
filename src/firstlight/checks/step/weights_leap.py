"""Every step changes the weights by a good part of their size, and a lower rate learns more.

## What it sees
How far the optimizer moves each weight matrix in a step, over its size, at looks spread over the first hundreds of
steps: at most of them the median matrix moves by more than a tenth. Copies of the program at lower rates decide: it is
reported where one of them learns and the program hardly does, or, where weights leap by half their size, where one of
them gets clearly further.

## When it is fine
Layers that begin at zero leap at first and then settle. Programs that learn as well as their slower copies are not
reported.
"""

import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.facts import Motion
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    looks: int = 3
    """The third is made after some thirty steps."""
    pace: float = 0.1
    """Length of an update over that of the weight; healthy medians lie between 2e-4 and this."""
    grave: float = 0.5
    """From here on hardly anything of what was learnt outlives the step."""


def find(motion: Motion, limits: Limits) -> Iterator[Evidence]:
    paces = [0.0 if math.isnan(look.pace) else look.pace for look in motion.looks if look.pace is not None]
    if len(paces) < limits.looks or not (usual := statistics.median(paces)) > limits.pace:
        return
    rate = motion.settings.get("lr")
    yield Evidence(
        where=at(motion.site, step=motion.looks[-1].step, rank=motion.rank),
        saw=f"a step of {motion.optimizer}{f' at learning rate {rate:g}' if rate else ''} changes a weight matrix by "
        f"{usual:.2g} of its size, in the median of {len(paces)} looks",
        wanted=f"at most {limits.pace:g}",
        confidence=GRAVE if usual >= limits.grave else None,
        numbers={"pace": usual, "looks": len(paces), "lr": rate},
    )


GRAVE = 0.85
"""Where it is grave, a copy that gets clearly further is enough to tell it."""
CHECK = Check(
    id="FL328",
    name="weights-leap",
    summary="steps change the weights by a good part of their size, and a lower rate learns more",
    causes=("hp-lr-high",),
    likely="the learning rate is too high by an order of magnitude or more",
    fix="divide the learning rate by 10 until a step changes the weights by less than a tenth of their size",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.5,
    needs=Motion,
    limits=Limits(),
    find=find,
    repairs=("lr-tenth", "lr-hundredth", "lr-thousandth"),
)
