"""Gradients grow on their way to the first layers.

## What it sees
The gradients of weight matrices relative to the weights, in the order of the forward pass: those of the first third are
far larger than those of the last third.

## When it is fine
A large total norm alone says nothing, because healthy residual networks start with norms of hundreds; it is not judged.
"""

import statistics

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import GradientProfile


class Limits(Settable):
    ratio: float = 1e4
    """Largest ratio of the first third to the last; the largest measured in healthy networks is 48."""
    layers: int = 4
    """Fewest weight matrices; fewer have no depth to speak of."""


def find(profile: GradientProfile, limits: Limits) -> Found:
    sizes = [weight.gradient / weight.weight for weight in profile.weights if weight.weight > 0]
    third = max(1, len(sizes) // 3)
    norms = f"total norm {profile.total_norm:.3g}, largest {profile.most_norm:.3g} at {profile.most_name}"
    if len(sizes) < limits.layers:
        return
    first, last = statistics.median(sizes[:third]), statistics.median(sizes[-third:])
    if last > 0 and first / last > limits.ratio:
        yield Evidence(
            where=at(profile.site, module=profile.most_name, step=0, rank=profile.rank),
            saw=f"gradients of the first layers are {first / last:.1e} times those of the last ({norms})",
            wanted=f"at most {limits.ratio:g} times",
            numbers={"ratio": first / last, "total_norm": profile.total_norm},
        )


CHECK = Check(
    id="FL432",
    summary="gradients grow on their way to the first layers",
    causes=("arch-exploding",),
    likely="the weights are too large for the depth, and there is no normalization",
    fix="initialize by fan-in, add normalization, and clip the norm of the gradients",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
