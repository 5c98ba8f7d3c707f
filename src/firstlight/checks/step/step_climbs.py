"""Steps go up the gradient, and the loss rises.

## What it sees
At every look, the optimizer's step points along the gradient instead of against it in most tensors, and a loss has
risen that is known to be one: computed again with predictions that are nearer to their answers, it is lower.

## When it is fine
With `maximize=True`, what `backward` was called on is looked at as its negative, which the steps are to lower; a loss
that is maximised in error is then told by [FL205](loss-sign-flipped.md). A reward or a likelihood that steps of one's
own raise is not judged. Steps with strong momentum may go uphill for a while, but not at every look.
"""

import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Motion


class Limits(Settable):
    looks: int = 2
    """Fewest looks; the step must climb at all of them."""
    along: float = 0.1
    """Cosine between step and gradient, in the median tensor, that must be exceeded; downhill steps lie below 0."""
    rise: float = 0.1
    """Relative rise of the loss over its first value that must be exceeded."""


def find(motion: Motion, limits: Limits) -> Found:
    looks = [statistics.median(one.along for one in look.tensors) for look in motion.looks if look.tensors]
    if not motion.answered or motion.fell is None or len(looks) < limits.looks:
        return
    if not all(one > limits.along for one in looks) or not motion.fell < -limits.rise:
        return
    yield Evidence(
        where=at(motion.site, rank=motion.rank),
        saw=f"at {len(looks)} of {len(looks)} looks the steps of {motion.optimizer} go up the gradient (cosine "
        f"{statistics.median(looks):.2f}), and the loss has risen by {-motion.fell:.0%} of its first value",
        wanted="steps against the gradient, which lower the loss",
        numbers={"cosine": statistics.median(looks), "fell": motion.fell},
    )


CHECK = Check(
    id="FL317",
    summary="the optimizer climbs the loss",
    causes=("loss-sign",),
    likely="a wrong sign in an optimizer written by hand, or a negative learning rate",
    fix="take the gradient away from the weights instead of adding it",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
