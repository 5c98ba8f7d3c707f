"""A collate function tears the parts of an example apart, or misaligns them.

## What it sees
The items that the program's own collate functions are given are looked up in the batches they return. The tokens of an
item are in one row and its label in another, because one of them was sorted; or the tokens are at the end of their row
and the tags at its start, because the two are padded on different sides.

## When it is fine
Parts that the function changes (mixes, masks, cuts) cannot be found and are not judged, nor is the padding of sequences
of different lengths. Batches that hold a part twice, once in another order for contrast, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.feed import Collated


class Limits(Settable):
    batches: int = 2
    """Fewest batches; a single one may be an accident of equal values."""
    torn: float = 0.2
    """Smallest share of the items of a batch; wrong sorting or padding affects most of them."""


def find(collated: Collated, limits: Limits) -> Found:
    if collated.batches < limits.batches or not collated.torn >= limits.torn:
        return
    rows = collated.what == "rows"
    came = "are in rows of different items" if rows else "begin at different positions in their rows"
    yield Evidence(
        where=at(collated.site, step=collated.step, rank=collated.rank),
        saw=f"{collated.first} and {collated.second} of an item {came} in the batches that `{collated.site.function}` "
        f"returns, for {collated.torn:.0%} of the items",
        wanted="all parts of an item in one row, padded on the same side",
        cause="data-label-misaligned" if rows else "data-padding",
        confidence=0.95 if rows else 0.85,
        likely="one part is sorted or shuffled alone" if rows else "one part is padded on the left, the other is not",
        numbers={"torn": collated.torn, "batches": collated.batches},
    )


CHECK = Check(
    id="FL185",
    summary="a collate function tears the parts of an example apart, or misaligns them",
    causes=("data-label-misaligned", "data-padding"),
    likely="one part of the items is sorted, shuffled or padded separately",
    fix="sort the items before they are taken apart, and pad all of their parts on the same side",
    severity=Severity.WARNING,
    confidence=0.95,
    find=find,
)
