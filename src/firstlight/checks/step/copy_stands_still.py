"""A copy that should follow the model stays where it began, lags behind for the whole run, or is the model all along.

## What it sees
A target network or moving average, by its name, that began with the model's weights. In a rehearsal, either its weights
never move while the model's do, although the program goes over them again and again, or they are the model's, or those
of one step before, whenever they are looked at. Whatever its name: an average that goes so small a part of the way with
each step that at the end of the run, by the rounds that its loops plan, it still is for the most part what it began as.

## When it is fine
A frozen reference is meant to stand still, and a copy that is only evaluated to be the same; their names do not say
that they follow slowly. One that is brought up to date every thousand steps is not touched in between. A teacher or
target network that is asked in the training steps themselves may lag as far behind as it likes.
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
    """With steps between."""
    drift: float = 1e-4
    """How far the model went, as a share of its size: less can be a rate that is still warming up."""
    left: float = 0.5
    """Share of what it began as in what it will be at the end: from here on it is more that than what was learnt."""
    asked: float = 0.5
    """Share of the steps before which it is called: an average that is evaluated now and then stays below it."""


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


def _left(copy: CopySeen) -> float:
    """Share of what it began as in what it will be after all steps that are planned; 0 where that is not known."""
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
        saw=f"each step takes {called} {copy.mixed_in:.1g} of the way to the model: after the {copy.planned:,} steps "
        f"that are planned, {_left(copy):.0%} of it is still what it began as",
        wanted="an average that has left its beginning behind when it is evaluated",
        likely="the decay of the average is one for far longer runs",
        do=f"choose a decay whose memory is a small part of the run, such as {decay:.2g}, or let it "
        "rise: `min(decay, (1 + step) / (10 + step))`",
        cause="train-ema",
        numbers={"mixed_in": copy.mixed_in, "planned": copy.planned, "left": _left(copy)},
    )


MEMORIES = 10
"""Times the memory of an average that a run is long, after which nothing is left of its beginning."""
CHECK = Check(
    id="FL343",
    summary="a target network or moving average does not follow the model as it should",
    causes=("train-ema", "rl-target"),
    likely="the shares of old and new weights are exchanged, or it is replaced after every step",
    fix="after each step, `copied.lerp_(p, 1 - decay)` for each weight, with a decay near 1, under `torch.no_grad()`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
