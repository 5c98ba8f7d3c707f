"""A collate function puts the parts of an example where they no longer belong together.

## What it sees
What the program's own collate functions are given is looked for in the batches they make: the tokens of an item in one
row and its answer in another, because one of them was sorted; or tokens at the end of their row and tags at its start,
because the two are padded on different sides.

## When it is fine
Parts that the function changes (mixed, masked, cut) are not found and not judged, nor is the padding of sequences of
different lengths. Batches that hold a part twice, once in another order, as contrast, are not told.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Collated


class Limits(Settable):
    batches: int = 2
    """One may be an accident of values that are alike."""
    torn: float = 0.2
    """Share of the items of a batch; whatever sorts or pads tears most of them."""


def find(collated: Collated, limits: Limits) -> Found:
    if collated.batches < limits.batches or not collated.torn >= limits.torn:
        return
    rows = collated.what == "rows"
    came = "are in rows of different items" if rows else "begin at different places of their rows"
    yield Evidence(
        where=at(collated.site, step=collated.step, rank=collated.rank),
        saw=f"{collated.first} and {collated.second} of an item {came} in the batches that `{collated.site.function}` "
        f"makes: {collated.torn:.0%} of the items",
        wanted="all parts of an item in one row, padded on the same side",
        cause="data-label-misaligned" if rows else "data-padding",
        confidence=0.95 if rows else 0.85,
        likely="one part is sorted or shuffled by itself" if rows else "one part is padded on the left, the other not",
        numbers={"torn": collated.torn, "batches": collated.batches},
    )


CHECK = Check(
    id="FL185",
    summary="a collate function puts the parts of an example where they no longer belong together",
    causes=("data-label-misaligned", "data-padding"),
    likely="one part of the items is sorted, shuffled or padded by itself",
    fix="sort the items before they are taken apart, and pad all of their parts on the same side",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
