"""Reading an example changes the stored one, and the next reading goes on from there.

## What it sees
In a copy of the process, the same examples are read again and again. What the dataset keeps of them (the arrays,
tensors, lists and images in its reach) moves away from what it was with every reading, and with the same random numbers
it then gives other examples. An augmentation that writes into a view (`image[a:b] = 0`, `x -= mean`, `out=`) piles up
over the epochs: until images are blank, or noise is all there is.

## When it is fine
Examples that are meant to change with every reading, such as the states of a chain that is sampled from. A cache that
is filled once, a buffer that is written over before it is given and counters are not told; nor are loaders whose
workers are made anew for each pass, for each then begins with a fresh copy of the data.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.stored import KeptReread


class Limits(Settable):
    often: float = 0.1
    """Of what the values kept of an example usually differ by, how far they are off after all readings."""
    times: float = 2.0
    """As far as after one reading; what is turned over at random is as far off after one as after many."""
    left: float = 0.5
    """Of what the values differ by, at most, where it is as far off after one reading: then little is left by then."""
    given: float = 0.05
    """Share of the values given that are others then, with the same random numbers."""


def find(kept: KeptReread, limits: Limits) -> Found:
    piles_up = kept.often >= limits.times * kept.once or kept.left <= limits.left
    if not (piles_up and kept.often >= limits.often and kept.given >= limits.given):
        return
    by = f"this line writes into what `{kept.name}` keeps" if kept.writes else f"`{kept.name}` changes what it keeps"
    yield Evidence(
        where=at(kept.writes or kept.site, step=kept.step, rank=kept.rank),
        saw=f"{by}, whenever an example is read: of {kept.examples} examples it is off by {kept.once:.2f} of its usual "
        f"deviation after one more reading, and by {kept.often:.2f} after {kept.readings}",
        wanted="stored examples that are the same however often they are read",
        numbers={"once": kept.once, "often": kept.often, "left": kept.left, "given": kept.given},
    )


CHECK = Check(
    id="FL197",
    summary="reading an example changes the stored one, and the damage piles up over the epochs",
    causes=("data-augment", "data-degenerate"),
    likely="an augmentation or a normalisation that works in place on a view of the stored data",
    fix="copy the example before it is changed: `self.images[i].copy()`, or `.clone()` of a tensor",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
