"""The differences between examples almost vanish on their way through the network.

## What it sees
At some call between the data and the last layer, the examples of a batch differ by less than a thousandth of the values
themselves, at every look after the first steps, and nothing restores the difference. The finding names the call that
loses most of it: one of several squashing activations in a row, or a first layer whose inputs are so small, or so far
from zero for their spread, that it outputs little but its bias.

## When it is fine
A later batch norm restores the difference and is taken into account. So can training: a bottleneck of many layers may
start like this and recover. If the program is certain to learn, this is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Fading


class Limits(Settable):
    spread: float = 1e-3
    """Smallest difference relative to the values; healthy untrained networks, even with sigmoids, keep a hundredth, and
    most keep a tenth."""
    looks: int = 2
    """Fewest looks; a single batch may be odd."""


def find(fading: Fading, limits: Limits) -> Found:
    if fading.looks < limits.looks or not 0 < fading.spread < limits.spread:  # no difference at all: other checks
        return
    lost = f"`{fading.lost.operation}`"
    yield Evidence(
        where=at(fading.lost.site, step=fading.step, rank=fading.rank),
        saw=f"before the last layer the examples of a batch differ by at most {fading.spread:.2g} of the values; "
        + (
            f"they differ as little in the input, at {lost}"
            if fading.entry
            else f"most is lost in {lost}, before which it was {fading.before:.2g}"
        ),
        wanted=f"more than {limits.spread:.2g}",
        severity=Severity.NOTE if fading.learnt else None,
        cause="data-scale" if fading.entry else "arch-vanishing",
        numbers={"spread": fading.spread, "before": fading.before, "looks": fading.looks},
    )


CHECK = Check(
    id="FL451",
    summary="the differences between examples almost vanish within the network",
    causes=("arch-vanishing", "data-scale"),
    likely="several saturating activations in a row, or inputs that are tiny compared with the bias of the first layer",
    fix="use ReLU-like activations or a normalization between the layers; standardize the inputs",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
