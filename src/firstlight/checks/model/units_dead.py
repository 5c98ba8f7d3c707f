"""Units of a layer output zero for every example: nothing is learned through them.

## What it sees
Over the last batches looked at, ReLU units inside a model output exactly zero for every example and position. Through a
layer without a living unit no gradient passes, and that alone is an error. If only most of its units are dead, a copy
of the program with leaky ReLUs decides: the note becomes a warning if that copy learns and the program hardly does. A
layer that was active and died while the learning rate grew was killed by that rate, and so is one that is dead after
steps that replaced a good part of the weights. If the program already had an error
that alters its steps, the layer died of that, and is reported under it.

## When it is fine
Sparse codes and gates silence most units on purpose: there the copy learns no more than the program. Rectified
differences in a loss are not checked.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.inner import Units


class Limits(Settable):
    step: int = 10
    """Earliest step judged; before it, layers that start at zero are not yet up."""
    looks: int = 3
    """Fewest batches; a single one may be odd."""
    examples: int = 48
    """Fewest examples in all; fewer do not activate every healthy unit."""
    units: int = 8
    """Fewest units; in a narrower layer a dead unit is bad luck."""
    share: float = 0.8
    """Smallest share of the units that are dead. Many healthy models fed positive numbers have up to half of theirs
    dead."""
    rose: float = 2.0
    """Smallest growth of the learning rate since most units of a dead layer were last active; from there on, the rate
    killed them."""
    pace: float = 0.3
    """Smallest part of their size by which a step changes weights, for a dead layer to be put down to the rate; where
    training goes well it is at most a tenth."""


def find(units: Units, limits: Limits) -> Found:
    enough = units.step >= limits.step and units.looks >= limits.looks and units.examples >= limits.examples
    if units.kind != "relu" or not enough or units.units < limits.units:
        return
    if units.dead < limits.share * units.units:
        return
    every = units.dead == units.units
    risen, thrown = units.rose >= limits.rose, units.pace >= limits.pace
    killed = every and (risen or thrown)
    since = f"; since most of them were last active, the learning rate had grown {units.rose:.2g} times"
    at_once = f"; a single step had changed weights by {units.pace:.0%} of their size"
    yield Evidence(
        where=at(units.site, step=units.step, rank=units.rank, module=units.module),
        saw=f"{units.dead} of {units.units} ReLU units output zero for all of {units.examples} examples"
        + (since if killed and risen else at_once if killed else ""),
        wanted="units that are active for some examples",
        cause="hp-lr-high" if killed else None,
        severity=Severity.ERROR if every else None,
        confidence=0.95 if every else None,
        likely="nothing passes through this layer any more, neither forward nor backward" if every else None,
        later=units.answered,
        numbers={"dead": units.dead, "units": units.units},
    )


CHECK = Check(
    id="FL411",
    summary="units of a ReLU layer are never active",
    causes=("arch-dead-units", "hp-lr-high"),
    likely="a first step that was far too large, a strongly negative bias, or inputs far from zero",
    fix="lower the learning rate or standardize the inputs; use LeakyReLU or GELU if they still die",
    severity=Severity.NOTE,
    proven=Severity.WARNING,
    confidence=0.5,
    find=find,
)
