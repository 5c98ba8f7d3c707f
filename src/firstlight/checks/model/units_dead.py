"""Units of a layer give zero for every example: nothing is learnt through them.

## What it sees
Over the last batches that were looked at, ReLU units inside a model gave exactly zero for every example and
position. Through a layer without a living unit no gradient passes, and that is an error by itself. Where only most of
its units are dead, a copy of the program whose ReLUs leak decides: it is reported when that copy learns and the
program hardly does. A layer that answered, and died while the learning rate grew, was killed by that rate;
where the program began with an error that alters its steps, the layer died of that, and is told under it.

## When it is fine
Sparse codes and gates silence most units on purpose: there the copy learns no more than the program. Rectified
differences in a loss are not looked at.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.inner import Units


class Limits(Settable):
    step: int = 10
    """Before it, layers that begin at zero are still on their way."""
    looks: int = 3
    """Batches; one may be odd."""
    examples: int = 48
    """In all; fewer do not stir every healthy unit."""
    units: int = 8
    """In a narrower layer a dead unit is bad luck."""
    share: float = 0.8
    """Of the units. Up to half are dead in many a healthy model that is fed positive numbers."""
    rose: float = 2.0
    """Times that the learning rate has grown since most units of a layer that is dead now still answered: by that much
    the rate killed them."""


def find(units: Units, limits: Limits) -> Found:
    enough = units.step >= limits.step and units.looks >= limits.looks and units.examples >= limits.examples
    if units.kind != "relu" or not enough or units.units < limits.units:
        return
    if units.dead < limits.share * units.units:
        return
    every = units.dead == units.units
    killed = every and units.rose >= limits.rose
    risen = f"; since most of them answered the learning rate had grown {units.rose:.2g} times" if killed else ""
    yield Evidence(
        where=at(units.site, step=units.step, rank=units.rank, module=units.module),
        saw=f"{units.dead} of {units.units} ReLU units gave zero for all of {units.examples} examples{risen}",
        wanted="units that answer to some examples",
        cause="hp-lr-high" if killed else None,
        severity=Severity.ERROR if every else None,
        confidence=0.95 if every else None,
        likely="nothing passes this layer any more, neither forward nor back" if every else None,
        later=units.answered,
        numbers={"dead": units.dead, "units": units.units},
    )


CHECK = Check(
    id="FL411",
    summary="units of a ReLU layer never answer",
    causes=("arch-dead-units", "hp-lr-high"),
    likely="a first step far too large, a strongly negative bias, or inputs far from zero",
    fix="lower the learning rate or standardise the inputs; LeakyReLU or GELU if they still die",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.5,
    find=find,
)
