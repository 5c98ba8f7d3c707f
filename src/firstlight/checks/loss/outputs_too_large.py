"""The loss starts far above that of a guess, because values grow too large in the network.

## What it sees
A guess is the best output that is the same for all examples of a batch, computed for the program's own loss, whoever
wrote it. Outputs far larger than the targets make the first loss a multiple of that, and it would be much lower if they
were a tenth as large. The finding names the call between the data and the outputs in which values grow most. It is
reported if training has not made up for it after many steps, and at once if a call without weights makes the values so
large.

## When it is fine
Layers and data that start large and soon get below a guess are not reported. What a plain factor does to the first
loss, the weights have to undo: remove it, or initialize the next layer for it.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Guessed
from firstlight.records.places import Site


class Limits(Settable):
    first: float = 2.5
    """Largest ratio of the first loss to that of a guess; healthy models start between 0.9 and 1.6."""
    last: float = 1.3
    """Largest such ratio at the end, where no factor explains the first loss."""
    step: int = 96
    """Step by which a healthy program is below a guess, or near it."""
    grown: float = 8.0
    """Smallest factor by which values grow in the call that is named; layers as torch initializes them change sizes by
    a factor between a third and three."""
    tenth: float = 0.5
    """Share of the first loss that outputs a tenth as large must get below; if the targets are just far away, the loss
    stays."""


def find(seen: Guessed, limits: Limits) -> Found:
    if not seen.first_guess > 0 or not seen.first > limits.first * seen.first_guess:
        return
    if not seen.size >= limits.grown * seen.before or not seen.tenth < limits.tenth * seen.first:
        return
    factor = not seen.entry and not seen.trained
    stays = seen.step >= limits.step and seen.guess > 0 and seen.loss > limits.last * seen.guess
    if not (factor or stays):
        return
    yield Evidence(
        where=at(seen.grown.site or seen.site, step=seen.step, rank=seen.rank),
        saw=f"the loss starts at {seen.first:.3g}, where one output for all examples would get {seen.first_guess:.3g}; "
        f"at step {seen.step} it is {seen.loss:.3g}{_words(seen)}",
        wanted=f"below {limits.first * seen.first_guess:.3g} at the start",
        cause=_cause(seen),
        numbers={"first": seen.first, "loss": seen.loss, "guess": seen.guess, "grown": seen.size, "from": seen.before},
    )


def _words(seen: Guessed) -> str:
    where = _line(seen.grown.site)
    if seen.entry:
        return f"; the data enter at a size of {seen.size:.3g}, in `{seen.grown.operation}`{where}"
    return f"; values grow from {seen.before:.3g} to {seen.size:.3g} in `{seen.grown.operation}`{where}"


def _line(site: Site | None) -> str:
    return f" at line {site.line}" if site is not None else ""


def _cause(seen: Guessed) -> str:
    if seen.entry:
        return "data-scale"
    if seen.trained:
        return "arch-init"
    return "num-logit-growth" if seen.last else "arch-exploding"


CHECK = Check(
    id="FL219",
    summary="values grow so large in the network that the loss starts far above that of a guess",
    causes=("arch-init", "data-scale", "arch-exploding", "num-logit-growth"),
    likely="a factor inside the network, weights initialized far too large, or inputs in raw units",
    fix="remove the factor, standardize the inputs, and leave the layers with torch's own initialization",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
