"""A target is computed from the very prediction that it should teach.

## What it sees
The program acts in an environment, and its targets are a reward plus a share of a network's output. At every look one
of two things happens. Either the network is called on exactly the values that the prediction is made from, so that the
value of a state is learned from itself. Or the targets carry a gradient, so that the target is moved towards the
prediction.

## When it is fine
Residual-gradient methods let the gradient through on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Bootstrapped


class Limits(Settable):
    looks: int = 2
    """Fewest looks; a single batch may be unusual."""


def find(seen: Bootstrapped, limits: Limits) -> Found:
    where = at(seen.site, step=seen.step, rank=seen.rank)
    if seen.looks < limits.looks:
        return
    if seen.same >= seen.looks:
        yield Evidence(
            where=where,
            saw=f"at {seen.looks} looks the target was computed from the same {seen.examples} states as the prediction",
            wanted="the value of the next states",
            numbers={"looks": seen.looks, "examples": seen.examples},
        )
    elif seen.carries >= seen.looks:
        yield Evidence(
            where=where,
            saw=f"at {seen.looks} looks the target carried a gradient to the network that computed its value",
            wanted="a target without a gradient",
            likely="the target is computed outside `torch.no_grad()` and is not detached",
            do="compute the target under `torch.no_grad()`",
            numbers={"looks": seen.looks},
        )


CHECK = Check(
    id="FL238",
    summary="a target is computed from the very prediction that it should teach",
    causes=("rl-target",),
    likely="the network is called on the current state instead of the next one",
    fix="pass the next states to the network whose value is discounted",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
