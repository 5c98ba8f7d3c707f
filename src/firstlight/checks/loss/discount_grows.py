"""What comes later counts for more than what comes now.

## What it sees
By how much answers rise with the value that a network gives to the next state; or, in a copy of the program that was
given another reward at the end of an episode, how much more it counts for each step before. Above one, values grow from
step to step without bound.

## When it is fine
A discount of exactly one, where episodes end by themselves.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Discounted


class Limits(Settable):
    most: float = 1.001
    """One, and what rounding makes of it."""


def find(seen: Discounted, limits: Limits) -> Found:
    if not seen.discount > limits.most:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"what comes one step later counts {seen.discount:.3f} times",
        wanted="a discount of at most 1",
        numbers={"discount": seen.discount, "looks": seen.looks},
    )


CHECK = Check(
    id="FL237",
    summary="later rewards count for more than earlier ones, without bound",
    causes=("rl-target",),
    likely="the discount is above one, or is applied where it was divided by before",
    fix="use a discount below one, such as 0.99",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
