"""The loss begins far above that of a guess, and a factor in the network or many steps without it explain that.

## What it sees
A guess is the best output that is one and the same for all examples of a batch, sought for the very loss the program
computes, whoever wrote it. Outputs far larger than the answers make the first loss a multiple of that, and would not if
they were a tenth as large. The finding names the call between the data and the outputs in which values grow most. It is
told where training has not made up for it after many steps, and at once where a call without weights of its own makes
the values so large.

## When it is fine
Layers and data that begin large and soon get below a guess are not told. What a plain factor does to the first loss,
weights have to undo: take it out, or initialise the next layer for it.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Guessed
from firstlight.records.places import Site


class Limits(Settable):
    first: float = 2.5
    """First loss over that of a guess; healthy models begin between 0.9 and 1.6."""
    last: float = 1.3
    """The same at the end, where no factor explains it."""
    step: int = 96
    """By which a healthy program is below a guess, or near it."""
    grown: float = 8.0
    """Times that values grow in one call, from which on it is told as the one; layers as torch makes them change sizes
    by a third to three times."""
    tenth: float = 0.5
    """Share of the first loss below which outputs a tenth as large must bring it; answers that lie far away keep it."""


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
        saw=f"the loss begins at {seen.first:.3g}, where one output for all examples would get {seen.first_guess:.3g}; "
        f"at step {seen.step} it is {seen.loss:.3g}{_words(seen)}",
        wanted=f"below {limits.first * seen.first_guess:.3g} at the start",
        cause=_cause(seen),
        numbers={"first": seen.first, "loss": seen.loss, "guess": seen.guess, "grown": seen.size, "from": seen.before},
    )


def _words(seen: Guessed) -> str:
    where = _line(seen.grown.site)
    if seen.entry:
        return f"; the data enter with a size of {seen.size:.3g}, in `{seen.grown.operation}`{where}"
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
    summary="values grow so large in the network that the loss begins far above that of a guess",
    causes=("arch-init", "data-scale", "arch-exploding", "num-logit-growth"),
    likely="a factor within the network, weights initialised far too large, or inputs in raw units",
    fix="take out the factor, standardise inputs, and leave the layers with torch's own initialisation",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
