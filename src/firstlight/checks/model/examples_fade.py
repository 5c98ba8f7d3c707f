"""What tells the examples apart all but vanishes on its way through the network.

## What it sees
At some call on the way from the data to the last layer, the examples of a batch differ by less than a thousandth of the
values themselves, at every look after the first steps, and nothing restores the difference. The finding names the call
in which most of it is lost: squashing activations one after the other, or a first layer whose inputs are so small, or
so far from zero for their spread, that its bias is nearly all it gives.

## When it is fine
A batch norm further on brings the difference back, and is taken into account. So does training: a bottleneck of many
layers may begin so and come out of it, and where the program is certain to learn who gets which answer, it is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Fading


class Limits(Settable):
    spread: float = 1e-3
    """Of the values; untrained healthy networks, sigmoids included, keep a hundredth and most of them a tenth."""
    looks: int = 2
    """A single batch may be odd."""


def find(fading: Fading, limits: Limits) -> Found:
    if fading.looks < limits.looks or not 0 < fading.spread < limits.spread:  # nothing left at all is told by others
        return
    lost = f"`{fading.lost.operation}`"
    yield Evidence(
        where=at(fading.lost.site, step=fading.step, rank=fading.rank),
        saw=f"before the last layer the examples of a batch differ by {fading.spread:.2g} of the values at most; "
        + (
            f"they enter so, at {lost}"
            if fading.entry
            else f"most is lost in {lost}, which was given {fading.before:.2g}"
        ),
        wanted=f"more than {limits.spread:.2g}",
        severity=Severity.NOTE if fading.learnt else None,
        cause="data-scale" if fading.entry else "arch-vanishing",
        numbers={"spread": fading.spread, "before": fading.before, "looks": fading.looks},
    )


CHECK = Check(
    id="FL451",
    summary="what tells the examples apart all but vanishes within the network",
    causes=("arch-vanishing", "data-scale"),
    likely="saturating activations in a row, or inputs that are tiny beside the bias of the first layer",
    fix="use ReLU-like activations or a normalisation between the layers; standardise the inputs",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
