"""Rewards differ from episode to episode, but every action has weight zero in the loss.

## What it sees
The program acts in an environment, and its loss contains the likelihoods of its actions. The gradient with respect to
each of them is the weight that makes this action more likely. It is zero for all actions at every look, although the
episodes before it had different returns: something between the reward and the loss removes the difference between good
and bad episodes.

## When it is fine
A program that trains only its value estimate for a while, with the weight of the policy loss at zero.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Weighed


class Limits(Settable):
    telling: int = 3
    """Fewest looks that follow an episode with another return than most; zero weights then are no accident."""
    weight: float = 1e-4
    """Largest weight, relative to the difference between the highest and lowest return; rounding leaves less."""


def find(seen: Weighed, limits: Limits) -> Found:
    spread = seen.highest - seen.lowest
    if not spread > 0 or seen.telling < limits.telling or not seen.largest <= limits.weight * spread:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"no action weighs more than {seen.largest:.3g} in the loss at {seen.looks} looks, while episodes return "
        f"between {seen.lowest:.3g} and {seen.highest:.3g}",
        wanted="larger weights for the actions of better episodes",
        numbers={"largest": seen.largest, "lowest": seen.lowest, "highest": seen.highest, "looks": seen.looks},
    )


CHECK = Check(
    id="FL247",
    summary="the difference between good and bad episodes is gone before it reaches the loss",
    causes=("rl-advantage",),
    likely="returns are normalized within each episode or over an axis of length one, or the baseline is the return "
    "itself",
    fix="normalize over all episodes of an update, and print the weights next to the returns",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
