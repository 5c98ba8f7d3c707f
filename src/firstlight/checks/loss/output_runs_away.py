"""The loss falls without end the further an output goes one way, whatever the answers are.

## What it sees
The loss compares something with answers, and takes another output besides: a variance, its logarithm, a code. At a few
backwards all of that output is shifted up or down, each time twice as far, behind whatever bounds it. The loss falls
with every doubling, and by no less than with the one before, so there is no value at which it is lowest: a term that
should hold the output back rewards it. The logarithm of the variance, subtracted from a Gaussian likelihood instead of
added; a divergence with the wrong sign.

## When it is fine
Outputs that are compared with answers by themselves are not asked, nor scores of one layer that the loss takes against
each other, as of a critic, nor policies. With more than one optimizer nothing is reported. An output that also goes on
into the network, and is held back there, may be meant.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import RunawaySeen


class Limits(Settable):
    looks: int = 2
    """At each of which it has no end; a single batch may be odd."""
    fallen: float = 2.0
    """By which the loss must fall at the least, while the output goes some thousand times its size."""


def find(runaway: RunawaySeen, limits: Limits) -> Found:
    if runaway.optimizers > 1 or runaway.looks < limits.looks:
        return
    if not runaway.loss - runaway.lowest > limits.fallen:
        return
    given = f" of {runaway.output}" if runaway.output else ""
    yield Evidence(
        where=at(runaway.site, step=runaway.step, rank=runaway.rank),
        saw=f"the further the output{given} goes {runaway.way}, the lower the loss: from {runaway.loss:.4g} to "
        f"{runaway.lowest:.4g} where it is shifted by {runaway.shift:.4g}, for whatever answers",
        wanted="a loss that is lowest at some value of each output",
        numbers={"loss": runaway.loss, "lowest": runaway.lowest, "shift": runaway.shift},
    )


CHECK = Check(
    id="FL226",
    summary="the loss falls without end the further an output goes one way",
    causes=("loss-sign",),
    likely="a term of the loss is subtracted that should be added, or the other way round",
    fix="turn the sign of the term that falls as this output grows",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
