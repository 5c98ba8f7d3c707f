"""Reading an example changes the stored one, and the next read starts from the changed one.

## What it sees
In a copy of the process, the same examples are read again and again. With every read, the stored data that the dataset
can reach (arrays, tensors, lists and images) moves away from its original values, and with the same random numbers the
dataset then returns other examples. An augmentation that writes into a view (`image[a:b] = 0`, `x -= mean`, `out=`)
accumulates over the epochs, until images are blank or only noise is left.

## When it is fine
Examples that are meant to change with every read, such as the states of a chain that is sampled from. A cache that is
filled once, a buffer that is overwritten before it is returned, and counters are not reported; nor are loaders whose
workers are created again for each pass, because each then starts with a fresh copy of the data.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.stored import KeptReread


class Limits(Settable):
    often: float = 0.1
    """Smallest distance of the stored values from the original ones after all reads, over their usual deviation."""
    times: float = 2.0
    """Smallest ratio of that to the distance after one read; values flipped at random are as far off after one as after
    many."""
    left: float = 0.5
    """Largest share of the variation of the values that is left, if they are as far off after one read; then little is
    left."""
    given: float = 0.05
    """Smallest share of the returned values that then differ, with the same random numbers."""


def find(kept: KeptReread, limits: Limits) -> Found:
    piles_up = kept.often >= limits.times * kept.once or kept.left <= limits.left
    if not (piles_up and kept.often >= limits.often and kept.given >= limits.given):
        return
    by = f"this line writes into what `{kept.name}` stores" if kept.writes else f"`{kept.name}` changes what it stores"
    yield Evidence(
        where=at(kept.writes or kept.site, step=kept.step, rank=kept.rank),
        saw=f"{by} whenever an example is read: {kept.examples} examples are off by {kept.once:.2f} of their usual "
        f"deviation after one more read, and by {kept.often:.2f} after {kept.readings}",
        wanted="stored examples that stay the same however often they are read",
        numbers={"once": kept.once, "often": kept.often, "left": kept.left, "given": kept.given},
    )


CHECK = Check(
    id="FL197",
    summary="reading an example changes the stored one, and the damage accumulates over the epochs",
    causes=("data-augment", "data-degenerate"),
    likely="an augmentation or a normalization works in place on a view of the stored data",
    fix="copy the example before changing it: `self.images[i].copy()`, or `.clone()` for a tensor",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
