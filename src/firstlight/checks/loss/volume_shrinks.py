"""The loss rewards the network for shrinking the space of its inputs.

## What it sees
A term of the loss is, example by example, the logarithm of the determinant of the Jacobian that autograd finds for the
map from what the network was fed to a tensor of the same shape: the change of volume in the likelihood of a normalising
flow. A negative log-likelihood falls as this grows. Here the loss rises with it, so that it is lowest for a map that
sends everything to one point.

## When it is fine
Where a map is meant to contract. Maps of more than 32 numbers, and those that split off a part of them on the way, are
not looked into.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.taped import VolumeSeen


class Limits(Settable):
    looks: int = 2
    """Fewest looks, at all of which it is so."""


def find(volume: VolumeSeen, limits: Limits) -> Found:
    if volume.looks < limits.looks or not volume.pull > 0:
        return
    yield Evidence(
        where=at(volume.site, step=volume.step, rank=volume.rank),
        saw=f"the logarithm of the determinant of a map of {volume.columns} numbers, which agrees with autograd over "
        f"{volume.examples} examples, raises the loss by {volume.pull:.4g} for each 1 that it grows",
        wanted="a negative log-likelihood, which falls as it grows",
        numbers={"pull": volume.pull, "likeness": volume.likeness},
    )


CHECK = Check(
    id="FL259",
    summary="the loss rewards a map for shrinking space",
    causes=("loss-sign",),
    likely="the log-determinant is subtracted where it should be added, or that of the inverse map was taken",
    fix="log p(x) = log p(z) + log |det dz/dx|: add the log-determinant of the map from data to noise",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
