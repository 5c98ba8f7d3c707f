"""Input values become the same on their way into the network, and their differences are lost.

## What it sees
A call that is given data alone, on the way from the batch to the first layer. Before it the values are of many sizes;
after it nearly all of them are one of three, or a good part of them have become equal. Causes are a clamp far narrower
than the data, a cut at zero of signed values, a division that rounds down, or a cast to integers. It is a warning if
the program shows no sign of learning, if a copy learns clearly better without the call, or if the cast to integers came
before training. Otherwise it is a note: what is left may be all that the network needs. What a dataset does in NumPy or
PIL is not followed. If it keeps an array of its examples, those are compared with what it returns: few different values
are left in an example, and a simple fit predicts far fewer labels.

## When it is fine
Values that are meant to be on or off. Comparisons, masks and `round`, which say so, are not reported, nor is what is
drawn at random, nor integers that are fed as such.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where, at
from firstlight.records.flows import Levelling
from firstlight.records.stored import ExamplesStored

DIFFERENT = "inputs that keep the differences in the data"


class Limits(Settable):
    looks: int = 2
    """Fewest batches looked at; a single one may be unusual."""
    before: float = 0.3
    """Largest share of a column, before the call, with one of its three commonest values."""
    after: float = 0.9
    """Smallest such share after the call; clipping the outermost values gives a few hundredths."""
    merged: float = 0.1
    """Smallest share of the pairs of values made equal; cutting a fifth of the values off at one end merges a 25th."""
    lost: float = 0.15
    """Smallest share of the variance lost; standardized values cut off at zero lose more, four even steps less."""
    wrapped: float = 0.05
    """Smallest share of the values that change because their new type cannot hold them."""
    kept_values: int = 8
    """Fewest different values in an example that a dataset keeps; fewer are meant to be on or off."""
    given_share: float = 0.25
    """Largest share of them that is left in what is returned; covering or cropping a part leaves more."""
    given_values: int = 8
    """Most different values that are left."""
    foretold: float = 0.1
    """Smallest loss of skill of a simple fit; on or off may be all that the labels need."""
    times_wrong: float = 2.0
    """Smallest factor by which a simple fit gets more labels wrong."""


def find(levelling: Levelling, limits: Limits) -> Found:
    call = f"after `{levelling.call.operation}`"
    where = at(levelling.call.site, step=levelling.step, rank=levelling.rank)
    if levelling.stored is not None and _is_coarser(levelling.stored, limits):
        yield _in_dataset(where, levelling.stored)
    if levelling.of != "inputs" or levelling.looks < limits.looks:
        return
    few = levelling.before <= limits.before and levelling.after >= limits.after
    same = levelling.merged >= limits.merged and levelling.lost >= limits.lost
    wrapped = levelling.wrapped >= limits.wrapped
    if not (few or same or wrapped):
        return
    if wrapped:
        saw = f"{call} {levelling.wrapped:.0%} of the values have changed, because the type cannot hold them"
    elif few:
        saw = f"{call} {levelling.after:.0%} of the values fed to the network are one of three; before it "
        saw += f"{levelling.before:.0%} were"
    else:
        saw = f"{call} {levelling.lost:.0%} of the variance of the inputs is lost: many of them have become equal"
    yield Evidence(
        where=where,
        saw=saw,
        wanted=DIFFERENT,
        severity=Severity.WARNING if wrapped or levelling.cast or levelling.unlearnt else Severity.NOTE,
        numbers={name: getattr(levelling, name) for name in ("before", "after", "merged", "lost", "wrapped")},
    )


def _is_coarser(stored: ExamplesStored, limits: Limits) -> bool:
    few = stored.given_values <= min(limits.given_values, limits.given_share * stored.kept_values)
    missed, before = 1 - stored.given_skill, 1 - stored.kept_skill
    needed = missed - before >= limits.foretold and missed >= limits.times_wrong * before
    return few and needed and stored.kept_values >= limits.kept_values


def _in_dataset(where: Where, stored: ExamplesStored) -> Evidence:
    return Evidence(
        where=where,
        saw=f"of {stored.kept_values} different values in an example that `{stored.name}` keeps, {stored.given_values} "
        f"are left in what it returns; a simple fit scores {stored.given_skill:.2f} on those, {stored.kept_skill:.2f} "
        "on what is kept (0 is a constant guess, 1 is never wrong)",
        wanted=DIFFERENT,
        numbers={"kept_values": stored.kept_values, "given_values": stored.given_values},
    )


CHECK = Check(
    id="FL168",
    summary="values fed to the network become the same, and their differences are lost",
    causes=("data-degenerate",),
    likely="a clamp, a rounding or a cast that is far coarser than the data",
    fix="print the data before and after this line; widen its range, or scale the data first",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
    proven=Severity.WARNING,
    repairs=("data-kept",),
)
