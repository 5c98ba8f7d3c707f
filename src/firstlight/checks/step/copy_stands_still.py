"""A copy that should follow the model stays where it began, or is the model after every step.

## What it sees
A target network or moving average, by its name, that began with the model's weights. In a rehearsal, either its weights
never move while the model's do, although the program goes over them again and again, or they are the model's, or those
of one step before, whenever they are looked at.

## When it is fine
A frozen reference is meant to stand still, and a copy that is only evaluated to be the same; their names do not say
that they follow slowly. One that is brought up to date every thousand steps is not touched in between.
"""

import re
from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.copies import CopySeen
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at

SLOW = re.compile(
    r"(?:^|[_.])(?:target|tgt|ema|averaged|avg|momentum|shadow|polyak|slow|teacher)(?:$|[_.]|net|model|critic|actor|q|policy)",
    re.IGNORECASE,
)


class Limits(Settable):
    looks: int = 3
    """With steps between."""
    drift: float = 1e-4
    """How far the model went, as a share of its size: less can be a rate that is still warming up."""


def find(copy: CopySeen, limits: Limits) -> Iterator[Evidence]:
    if copy.shared or not copy.began_equal or not SLOW.search(copy.name) or copy.looks < limits.looks:
        return
    if not copy.drift >= limits.drift:
        return
    if not copy.moved and copy.touched >= copy.looks - 1:
        saw, wanted = "its weights never moved", "weights that follow those of the model"
    elif copy.followed == copy.looks - 1:
        saw, wanted = (
            "its weights were where the model is or was one step before",
            "weights that lag behind those of the model",
        )
    else:
        return
    yield Evidence(
        where=at(copy.site, module=copy.name, step=copy.step, rank=copy.rank),
        saw=f"`{copy.name}` was looked at {copy.looks} times in {copy.steps} steps, in which the model went "
        f"{copy.drift:.1%} of its size, and {saw}",
        wanted=wanted,
        likely=None if copy.moved else "what is computed for it is not written into it, or nothing is mixed in",
        numbers={"looks": copy.looks, "moved": copy.moved, "drift": copy.drift},
    )


CHECK = Check(
    id="FL343",
    name="copy-stands-still",
    summary="a target network or moving average does not follow the model at a distance",
    causes=("train-ema", "rl-target"),
    likely="the shares of old and new weights are exchanged, or it is replaced after every step",
    fix="after each step, `copied.lerp_(p, 1 - decay)` for each weight, with a decay near 1, under `torch.no_grad()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
