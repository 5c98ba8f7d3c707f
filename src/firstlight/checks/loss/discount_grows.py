"""Later rewards count for more than earlier ones.

## What it sees
Either how much the targets rise with the value that a network gives to the next state. Or, in a copy of the program
that is given a different reward at the end of an episode, by what factor that reward counts for each step before. If
the factor is above one, values grow from step to step without bound.

## When it is fine
A discount of exactly one, where episodes end by themselves.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Discounted


class Limits(Settable):
    most: float = 1.001
    """Largest discount: one, plus rounding."""


def find(seen: Discounted, limits: Limits) -> Found:
    if not seen.discount > limits.most:
        return
    yield Evidence(
        where=at(seen.site, step=seen.step, rank=seen.rank),
        saw=f"what comes one step later counts {seen.discount:.3f} times as much",
        wanted="a discount of at most 1",
        numbers={"discount": seen.discount, "looks": seen.looks},
    )


CHECK = Check(
    id="FL237",
    summary="later rewards count for more than earlier ones, without bound",
    causes=("rl-target",),
    likely="the discount is above one, or the code divides by it where it should multiply",
    fix="use a discount below one, such as 0.99",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
