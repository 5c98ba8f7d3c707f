"""What is learnt is learnt by heart: mismatched pairs are learnt as fast.

## What it sees
The program goes through its examples again and again, and its loss falls. A copy of it whose examples were given the
inputs of others, and keep them, falls as fast on the same batches: inputs and answers have nothing to do with each
other that the model could use.

## When it is fine
A lookup of arbitrary pairs (names of random keys, a benchmark of memory) is learnt by heart on purpose. A model that is
far too large for a handful of examples learns them by heart before it learns anything else.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import MISMATCHED, Contrast


class Limits(Settable):
    steps: int = 100
    """Of the optimizer; before that most programs have hardly begun."""
    gained: float = 0.05
    """Share of its first loss by which the program must be below the copy that cannot even learn by heart."""
    by_heart: float = 0.75
    """Share of that which mismatched pairs must have gained: nearly all of it where labels are shuffled, a seventh for
    a few hundred digits with their own."""


def find(contrast: Contrast, limits: Limits) -> Found:
    pair, share = contrast.of(MISMATCHED), contrast.by_heart(limits.gained)
    if pair is None or share is None or contrast.compares_rows or contrast.certified or not contrast.meant_to_fall:
        return
    if not (pair.paired and contrast.updates(pair) >= limits.steps and share >= limits.by_heart):
        return
    yield Evidence(
        where=at(contrast.loss_site, rank=contrast.rank),
        saw=f"in {pair.steps} steps over the same examples the loss fell from {pair.base.first:.4g} to "
        f"{pair.base.last:.4g}; in a copy whose examples have the inputs of others it fell to {pair.other.last:.4g}",
        wanted="a loss well below the one that mismatched pairs come to",
        numbers={"as_is": pair.base.last, "mismatched": pair.other.last, "first": pair.base.first},
    )


CHECK = Check(
    id="FL513",
    summary="examples are learnt by heart, and mismatched ones as fast",
    causes=("data-label-misaligned", "data-label-noise"),
    likely="inputs and labels were shuffled, sorted or filtered separately, or the labels are noise",
    fix="print a few inputs beside their labels as the model gets them; index both with the same permutation",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
    symptom=True,
)
