"""Almost all values that a network is fed become the same few on their way into it.

## What it sees
A call that is given data alone, on the way from the batch to the first layer: before it the values are of many sizes,
and after it nearly all of them are one of three. A clamp that is far narrower than the data, a division that rounds
down, a cast to whole numbers of values below one. It is a warning where the program shows no sign of learning, and else
a note: what it needs may be in what is left.

## When it is fine
Values that are meant to be on or off. Comparisons, masks and `round`, which say so, are not told, nor is what is drawn
at random.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.finding import Evidence, Severity
from firstlight.records.flows import Levelling
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    looks: int = 2
    """One batch may be an odd one."""
    before: float = 0.3
    """Share of a column with one of its three commonest values; columns that never had more are not asked."""
    after: float = 0.9
    """The same, after the call; clipping the outermost values gives a few hundredths."""


def find(levelling: Levelling, limits: Limits) -> Iterator[Evidence]:
    if levelling.looks < limits.looks or not (levelling.before <= limits.before and levelling.after >= limits.after):
        return
    yield Evidence(
        where=at(levelling.call.site, step=levelling.step, rank=levelling.rank),
        saw=f"after `{levelling.call.operation}` {levelling.after:.0%} of the values that the network is fed are one "
        f"of three; before it {levelling.before:.0%} were",
        wanted="inputs that still differ as the data do",
        severity=Severity.WARNING if levelling.unlearnt else Severity.NOTE,
        numbers={"before": levelling.before, "after": levelling.after},
    )


CHECK = Check(
    id="FL168",
    name="inputs-levelled",
    summary="almost all values that a network is fed become the same few",
    causes=("data-degenerate",),
    likely="a clamp, a rounding or a cast that is far coarser than the data",
    fix="print the data before and after this line; widen its range, or scale the data first",
    severity=Severity.WARNING,
    confidence=0.6,
    needs=Levelling,
    limits=Limits(),
    find=find,
)
