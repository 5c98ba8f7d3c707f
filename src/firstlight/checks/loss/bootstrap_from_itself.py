"""A target rests on the very prediction that it is to teach.

## What it sees
Answers are a reward and a part of what a network says, in a program that acts in an environment. At every look either
the network is asked about nothing but what the prediction is made from, value by value the same, so that a state is
worth what itself is worth; or the answers carry a gradient, so that what is taught is moved towards the prediction.

## When it is fine
Residual-gradient methods let the gradient through on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Bootstrapped


class Limits(Settable):
    looks: int = 2
    """A single batch may be odd."""


def find(seen: Bootstrapped, limits: Limits) -> Found:
    where = at(seen.site, step=seen.step, rank=seen.rank)
    if seen.looks < limits.looks:
        return
    if seen.same >= seen.looks:
        yield Evidence(
            where=where,
            saw=f"at {seen.looks} looks the target was made from the same {seen.examples} states as the prediction",
            wanted="the value of the states that came next",
            numbers={"looks": seen.looks, "examples": seen.examples},
        )
    elif seen.carries >= seen.looks:
        yield Evidence(
            where=where,
            saw=f"at {seen.looks} looks the target carried a gradient to the network that gave its value",
            wanted="a target without gradient",
            likely="the target is computed outside of `torch.no_grad()` and not detached",
            do="make the target under `torch.no_grad()`",
            numbers={"looks": seen.looks},
        )


CHECK = Check(
    id="FL238",
    summary="a target rests on the very prediction that it is to teach",
    causes=("rl-target",),
    likely="the network is asked about the state instead of the next one",
    fix="give the next states to the network whose value is discounted",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
