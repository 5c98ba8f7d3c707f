"""Layers follow each other with no nonlinearity in between: together they are one linear layer.

## What it sees
In eval mode, the outputs for an input, half of it, its negative and zero lie on a straight line, although one layer
with weights works on the output of another, and they still do with other weights. However it is trained, the model can
learn only a linear function.

## When it is fine
A narrow layer between two wide ones (a low-rank map, a linear autoencoder) is a choice and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.symmetry import Symmetry


class Limits(Settable):
    again: float = 1e-6
    """Largest relative difference between two identical calls of the model."""
    bend: float = 1e-4
    """Largest departure from a straight line, as rounding can cause."""


def find(symmetry: Symmetry, limits: Limits) -> Found:
    straight = symmetry.straight
    if straight is None or not (straight.bend <= limits.bend and symmetry.again <= limits.again):
        return
    if straight.width < straight.least:
        return
    yield Evidence(
        where=at(symmetry.site, module=straight.second, step=symmetry.step, rank=symmetry.rank),
        saw=f"the output is a linear function of the input (it bends by {straight.bend:.0e}), although "
        f"`{straight.second}` works on the output of `{straight.first}`",
        wanted="a nonlinear activation between the layers",
        numbers={"bend": straight.bend, "width": straight.width},
    )


CHECK = Check(
    id="FL417",
    summary="several layers together are one linear map",
    causes=("arch-capacity",),
    likely="the activation between the layers is missing, or is defined but not called in `forward`",
    fix="put an activation (ReLU, GELU, tanh) between the layers",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
