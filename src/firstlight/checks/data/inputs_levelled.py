"""Values that a network is fed become the same on their way into it, and what they differed by is lost.

## What it sees
A call that is given data alone, on the way from the batch to the first layer: before it the values are of many sizes,
and after it nearly all of them are one of three, or a good part of them are one. A clamp that is far narrower than the
data, a cut at zero of values that have signs, a division that rounds down, a cast to whole numbers. It is a warning
where the program shows no sign of learning, where a copy learns clearly better without the call, and where the data
were cast to whole numbers before training. Else it is a note: what the network needs may be in what is left.
That way computed in double precision: where it gives other inputs, what large numbers differ by was rounded away by a
cast, and what is made of it is noise (seconds since 1970 in float32 are 128 s apart).
What a dataset does in NumPy or PIL is not followed. Where it keeps an array of its examples, those are set beside what
it gives: hardly any different values are left in an example, and a plain fit foretells far fewer answers.

## When it is fine
Values that are meant to be on or off. Comparisons, masks and `round`, which say so, are not told, nor is what is drawn
at random, nor whole numbers that are fed as such.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where, at
from firstlight.records.flows import Levelling
from firstlight.records.stored import ExamplesStored

DIFFERENT = "inputs that still differ as the data do"


class Limits(Settable):
    looks: int = 2
    """One batch may be an odd one."""
    before: float = 0.3
    """Share of a column with one of its three commonest values; columns that never had more are not asked."""
    after: float = 0.9
    """The same, after the call; clipping the outermost values gives a few hundredths."""
    merged: float = 0.1
    """Of the pairs of values, made the same; a fifth of the values cut off at one end are a twenty-fifth of them."""
    lost: float = 0.15
    """Of the variance; standardised values that are cut off at zero lose more, four even steps of a range less."""
    wrapped: float = 0.05
    """Of the values, made others because their new type cannot hold them."""
    rounded: float = 0.3
    """Of what the inputs differ by; float32 leaves a millionth, eight bits for a number a few hundredths."""
    kept_values: int = 8
    """Different ones in an example that a dataset keeps, at least; fewer are meant to be on or off."""
    given_share: float = 0.25
    """Of them are left, at most, in what is given; what covers or crops a part leaves more."""
    given_values: int = 8
    """That are left, at most."""
    foretold: float = 0.1
    """Of the answers, fewer by a plain fit: on or off may be all that they need."""
    times_wrong: float = 2.0
    """As many answers that a plain fit gets wrong."""


def find(levelling: Levelling, limits: Limits) -> Found:
    call = f"after `{levelling.call.operation}`"
    where = at(levelling.call.site, step=levelling.step, rank=levelling.rank)
    if levelling.stored is not None and _is_coarser(levelling.stored, limits):
        yield _in_dataset(where, levelling.stored)
    if levelling.of == "rounding" and levelling.looks >= limits.looks and levelling.rounded >= limits.rounded:
        saw = f"{call} what the data differ by is rounded away: what the network is fed is off by"
        yield Evidence(
            where=where,
            saw=f"{saw} {levelling.rounded:.2f} of its deviation from the same in double precision",
            wanted=DIFFERENT,
            cause="num-precision",
            do="take differences first, and cast them then: `torch.diff(times).float()`",
            numbers={"rounded": levelling.rounded},
        )
    if levelling.of != "inputs" or levelling.looks < limits.looks:
        return
    few = levelling.before <= limits.before and levelling.after >= limits.after
    same = levelling.merged >= limits.merged and levelling.lost >= limits.lost
    wrapped = levelling.wrapped >= limits.wrapped
    if not (few or same or wrapped):
        return
    if wrapped:
        saw = f"{call} {levelling.wrapped:.0%} of the values are others, because the type cannot hold them"
    elif few:
        saw = f"{call} {levelling.after:.0%} of the values that the network is fed are one of three; before it "
        saw += f"{levelling.before:.0%} were"
    else:
        saw = f"{call} {levelling.lost:.0%} of what the inputs differ by is lost: many of them have become the same"
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
        f"are left in what it gives; a plain fit gets {stored.given_skill:.2f} from it, and {stored.kept_skill:.2f} "
        "from what is kept (0 is one answer for all, 1 never wrong)",
        wanted=DIFFERENT,
        numbers={"kept_values": stored.kept_values, "given_values": stored.given_values},
    )


CHECK = Check(
    id="FL168",
    summary="values that a network is fed become the same, and what they differed by is lost",
    causes=("data-degenerate", "num-precision"),
    likely="a clamp, a rounding or a cast that is far coarser than the data",
    fix="print the data before and after this line; widen its range, or scale the data first",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
    proven=Severity.WARNING,
    repairs=("data-kept",),
)
