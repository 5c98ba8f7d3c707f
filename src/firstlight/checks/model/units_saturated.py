"""Most values of a tanh or sigmoid layer sit at its flat ends.

## What it sees
On one batch at the start, the share of a layer's outputs beyond 0.97 (or below 0.03 or -0.97), where hardly any
gradient passes.

## When it is fine
Gates that are meant to be open or shut, and outputs of a trained model: declare `pretrained=True` for those.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Activations


class Limits(Settable):
    saturated_share: float = 0.5
    """Largest share of a layer's values at the flat ends; inputs of unit variance with usual weights give a few
    percent."""


def find(units: Activations, limits: Limits) -> Found:
    for group in units.groups:
        if group.saturated > limits.saturated_share:
            yield Evidence(
                where=at(units.site, module=group.name, rank=units.rank),
                saw=f"{group.saturated:.0%} of the values of `{group.name}` ({group.kind}) are at its flat ends",
                wanted=f"at most {limits.saturated_share:.0%}",
                numbers={"saturated": group.saturated},
            )


CHECK = Check(
    id="FL437",
    summary="most values of a squashing layer lie where no gradient passes",
    causes=("data-scale", "arch-init"),
    likely="inputs that are not standardized, or weights that start too large",
    fix="standardize the inputs, and use Xavier initialization for the layer before",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
