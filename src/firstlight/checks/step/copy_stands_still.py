"""A copy that should follow the model never moves, lags behind for the whole run, or equals the model throughout.

## What it sees
In a rehearsal, a copy whose name says it is a target network or a moving average starts with the model's weights. Then
either its weights never move while the model's do, although the program goes over them again and again, or at every
look they equal those of the model, now or one step earlier. A copy of any name is reported if it moves so little
towards the model at each update, or is updated so rarely, that after all the updates planned by the loops it is still
mostly what it started as.

## When it is fine
A frozen reference is meant to stand still, and a copy that is only evaluated is meant to equal the model; their names
do not say that they follow slowly. A copy that is updated every thousand steps is not touched in between. A teacher or
target network that is called in the training steps themselves may lag behind by any amount.
"""

import re

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.copies import CopySeen

SLOW = re.compile(
    r"(?:^|[_.])(?:target|tgt|ema|averaged?|avg|momentum|shadow|polyak|slow|teacher)(?:$|[_.]|net|model|critic|actor|q|policy)",
    re.IGNORECASE,
)


class Limits(Settable):
    looks: int = 3
    """Fewest looks at the copy, with steps between them."""
    drift: float = 1e-4
    """Least distance the model must have moved, relative to its size; a rate that is still warming up moves it less."""
    left: float = 0.5
    """Largest share of its starting weights in the final average; above it, the average is mostly its start."""
    asked: float = 0.5
    """Share of the steps in which a lagging copy is called; an average that is only evaluated now and then is below."""


def find(copy: CopySeen, limits: Limits) -> Found:
    if copy.shared or not copy.began_equal or copy.looks < limits.looks or not copy.drift >= limits.drift:
        return
    if _left(copy) > limits.left and copy.called < limits.asked * copy.steps:
        yield _lagging(copy)
        return
    if not SLOW.search(copy.name):
        return
    if not copy.moved and copy.touched >= copy.looks - 1:
        saw, wanted = "its weights never moved", "weights that follow those of the model"
    elif copy.followed == copy.looks - 1:
        saw, wanted = (
            "its weights always equalled the model's, now or one step earlier",
            "weights that lag behind those of the model",
        )
    else:
        return
    yield Evidence(
        where=at(copy.site, module=copy.name, step=copy.step, rank=copy.rank),
        saw=f"`{copy.name}` was looked at {copy.looks} times in {copy.steps} steps, in which the model moved by "
        f"{copy.drift:.1%} of its size, and {saw}",
        wanted=wanted,
        likely=None if copy.moved else "the new values are computed but never written into it, or nothing is mixed in",
        numbers={"looks": copy.looks, "moved": copy.moved, "drift": copy.drift},
    )


def _left(copy: CopySeen) -> float:
    """Share of its starting weights in what it will be after all planned updates; 0 where that is not known."""
    if copy.mixed_in is None or copy.planned is None or copy.moved < copy.looks - 1:
        return 0.0
    return (1 - copy.mixed_in) ** copy.planned


def _lagging(copy: CopySeen) -> Evidence:
    assert copy.mixed_in is not None
    assert copy.planned is not None
    decay = max(0.5, 1 - MEMORIES / copy.planned)
    called = f"`{copy.name}`" if copy.name else f"a copy of `{copy.model}`"
    return Evidence(
        where=at(copy.site, module=copy.name or None, step=copy.step, rank=copy.rank),
        saw=f"each update takes {called} {copy.mixed_in:.1g} of the way to the model: after the {copy.planned:,} "
        f"updates that are planned, {_left(copy):.0%} of it is still what it started as",
        wanted="an average that has forgotten its starting weights by the time it is evaluated",
        likely="the decay of the average is meant for much longer runs, or for an update after every step",
        do=f"choose a decay whose memory is a small part of the run, such as {decay:.2g}, or let it "
        "rise: `min(decay, (1 + step) / (10 + step))`",
        cause="train-ema",
        numbers={"mixed_in": copy.mixed_in, "planned": copy.planned, "left": _left(copy)},
    )


MEMORIES = 10
"""How many times the memory of an average a run must last before nothing is left of the starting weights."""
CHECK = Check(
    id="FL343",
    summary="a target network or moving average does not follow the model as it should",
    causes=("train-ema", "rl-target"),
    likely="the shares of old and new weights are swapped, or the copy is overwritten after every step",
    fix="after each step, `copied.lerp_(p, 1 - decay)` for each weight, with a decay near 1, under `torch.no_grad()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
