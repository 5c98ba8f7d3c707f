"""The loss keeps falling the further one output goes one way, whatever the targets are.

## What it sees
The loss compares something with targets, and also uses another output: a variance, its logarithm, a code. At a few
backwards all of that output is shifted up or down, twice as far each time, ignoring any clamp on it. The loss falls
with every doubling and hardly slows down, so there is no value at which it is lowest: a term that should hold the
output back rewards it. Examples are the log-variance subtracted from a Gaussian likelihood instead of added, and a
divergence with the wrong sign.

## When it is fine
Outputs that are themselves compared with targets are not tested; neither are scores of one layer that the loss compares
with each other, as for a critic, nor policies. With more than one optimizer nothing is reported. An output that also
feeds back into the network, and is held back there, may be intended.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import RunawaySeen


class Limits(Settable):
    looks: int = 2
    """Fewest looks, at each of which the loss keeps falling; a single batch may be unusual."""
    fallen: float = 2.0
    """How much the loss must at least fall while the output goes to about a thousand times its size."""


def find(runaway: RunawaySeen, limits: Limits) -> Found:
    if runaway.optimizers > 1 or runaway.looks < limits.looks:
        return
    if not runaway.loss - runaway.lowest > limits.fallen:
        return
    given = f" of {runaway.output}" if runaway.output else ""
    yield Evidence(
        where=at(runaway.site, step=runaway.step, rank=runaway.rank),
        saw=f"the further the output{given} goes {runaway.way}, the lower the loss: from {runaway.loss:.4g} to "
        f"{runaway.lowest:.4g} when it is shifted by {runaway.shift:.4g}, whatever the targets are",
        wanted="a loss that is lowest at some value of each output",
        numbers={"loss": runaway.loss, "lowest": runaway.lowest, "shift": runaway.shift},
    )


CHECK = Check(
    id="FL226",
    summary="the loss keeps falling the further one output goes one way",
    causes=("loss-sign",),
    likely="a term of the loss is subtracted that should be added, or the other way round",
    fix="flip the sign of the term that falls as this output grows",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
)
