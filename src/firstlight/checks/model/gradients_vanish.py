"""Gradients fade on their way to the first layers.

## What it sees
The gradients of weight matrices relative to the weights, in the order of the forward pass: the first third has next to
nothing of what the last third has.

## When it is fine
Zero-initialised heads and adapters hold gradients back at the first step and let them through after it; there the last
layers' own gradients are small too, and the ratio is not.
"""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.declared import GradientProfile
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    ratio: float = 1e-6
    """First third over last; healthy networks are above 0.01, a twenty-layer tanh net without shortcuts at 6e-5."""
    layers: int = 4
    """Fewer have no depth to speak of."""


def find(profile: GradientProfile, limits: Limits) -> Iterator[Evidence]:
    sizes = [weight.gradient / weight.weight for weight in profile.weights if weight.weight > 0]
    if len(sizes) < limits.layers:
        return
    third = max(1, len(sizes) // 3)
    first, last = statistics.median(sizes[:third]), statistics.median(sizes[-third:])
    if not last > 0 or first <= 0 or not first / last < limits.ratio:
        return
    yield Evidence(
        where=at(profile.site, module=profile.weights[0].name, step=0, rank=profile.rank),
        saw=f"gradients of the first layers are {first / last:.1e} of those of the last",
        wanted=f"at least {limits.ratio:g}",
        numbers={"ratio": first / last, "layers": len(sizes)},
    )


CHECK = Check(
    id="FL431",
    name="gradients-vanish",
    summary="gradients fade on their way to the first layers",
    causes=("arch-vanishing",),
    likely="many saturating layers, or weights too small for their number, without shortcuts or normalisation",
    fix="add residual connections and normalisation, use ReLU or GELU, and initialise by fan-in",
    severity=Severity.ERROR,
    confidence=0.9,
    needs=GradientProfile,
    limits=Limits(),
    find=find,
)
