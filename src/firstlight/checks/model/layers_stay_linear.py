"""Layers follow each other with nothing between them that bends: together they are one linear layer.

## What it sees
In eval mode, the output at an input, its half, its opposite and zero lies on a straight line, although one layer
with weights works on what another made. Whatever is trained, only a straight line can be learnt.

## When it is fine
A narrow layer between two wide ones (a low-rank map, a linear autoencoder) is a choice: it is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.symmetry import Symmetry


class Limits(Settable):
    again: float = 1e-6
    """Relative difference of two equal calls up to which the model answers alike."""
    bend: float = 1e-4
    """Departure from a straight line that rounding can make."""


def find(symmetry: Symmetry, limits: Limits) -> Found:
    straight = symmetry.straight
    if straight is None or not (straight.bend <= limits.bend and symmetry.again <= limits.again):
        return
    if straight.width < straight.least:
        return
    yield Evidence(
        where=at(symmetry.site, module=straight.second, step=symmetry.step, rank=symmetry.rank),
        saw=f"the output is a straight line in the input (it bends by {straight.bend:.0e}), although "
        f"`{straight.second}` works on what `{straight.first}` made",
        wanted="something that bends between layers: an activation",
        numbers={"bend": straight.bend, "width": straight.width},
    )


CHECK = Check(
    id="FL417",
    summary="several layers, and together one linear map",
    causes=("arch-capacity",),
    likely="the activation between the layers is missing, or is defined and not called in `forward`",
    fix="put an activation (ReLU, GELU, tanh) between the layers",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
