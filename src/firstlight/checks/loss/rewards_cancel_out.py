"""Rewards differ from episode to episode, and the loss weighs all actions with nothing.

## What it sees
The program acts in an environment, and its loss has the likelihoods of its actions in it. The gradient by each of them
is the weight with which that action is made likelier. It is zero for all actions at every look, although the episodes
before it returned different sums: something between reward and loss takes away what tells them apart.

## When it is fine
A program that trains its estimate of values alone for a while, with the weight of the policy's loss at zero.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Weighed


class Limits(Settable):
    telling: int = 3
    """Looks before which an episode returned another sum than most: that weights are zero then is no accident."""
    weight: float = 1e-4
    """Of the difference between the highest and the lowest return; rounding leaves less."""


def find(seen: Weighed, limits: Limits) -> Found:
    spread = seen.highest - seen.lowest
    if not spread > 0 or seen.telling < limits.telling or not seen.largest <= limits.weight * spread:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"the loss weighs every action with {seen.largest:.3g} at {seen.looks} looks, while episodes return "
        f"between {seen.lowest:.3g} and {seen.highest:.3g}",
        wanted="larger weights for the actions of better episodes",
        numbers={"largest": seen.largest, "lowest": seen.lowest, "highest": seen.highest, "looks": seen.looks},
    )


CHECK = Check(
    id="FL247",
    summary="what tells good episodes from bad ones is gone before it reaches the loss",
    causes=("rl-advantage",),
    likely="returns are normalised inside each episode or over an axis of one, or the baseline is the return itself",
    fix="normalise over all episodes of an update, and print the weights beside the returns",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
