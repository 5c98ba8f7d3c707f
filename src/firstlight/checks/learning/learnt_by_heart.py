"""Examples are memorized: mismatched pairs are learned just as fast.

## What it sees
The program goes through its examples again and again, and its loss falls. In a copy of it every example gets the input
of another one, and keeps it. That copy's loss falls as fast on the same batches: there is no relation between inputs
and targets that the model could use.

## When it is fine
A lookup of arbitrary pairs (names of random keys, a memory benchmark) is memorized on purpose. A handful of
examples is learnt by heart before anything else, whatever belongs to what; nothing is told of those.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.contrast import MISMATCHED, Contrast


class Limits(Settable):
    steps: int = 100
    """Fewest optimizer steps; before that most programs have hardly begun."""
    examples: int = 32
    """Fewest different examples. A network learns any answers to fewer about as fast as the right ones."""
    gained: float = 0.05
    """Share of its first loss by which the program must be below the copy that cannot even memorize."""
    by_heart: float = 0.75
    """Share of that gain which mismatched pairs must reach: nearly all of it where labels are shuffled, a seventh for a
    few hundred digits with their own labels."""


def find(contrast: Contrast, limits: Limits) -> Found:
    pair, share = contrast.of(MISMATCHED), contrast.by_heart(limits.gained)
    if pair is None or share is None or contrast.compares_rows or contrast.certified or not contrast.meant_to_fall:
        return
    if contrast.examples is not None and not contrast.examples >= limits.examples:
        return
    if not (pair.paired and contrast.updates(pair) >= limits.steps and share >= limits.by_heart):
        return
    yield Evidence(
        where=at(contrast.loss_site, rank=contrast.rank),
        saw=f"in {pair.steps} steps over the same examples the loss fell from {pair.base.first:.4g} to "
        f"{pair.base.last:.4g}; in a copy whose examples have the inputs of others it fell to {pair.other.last:.4g}",
        wanted="a loss well below the one that mismatched pairs reach",
        numbers={"as_is": pair.base.last, "mismatched": pair.other.last, "first": pair.base.first},
    )


CHECK = Check(
    id="FL513",
    summary="examples are memorized, and mismatched ones just as fast",
    causes=("data-label-misaligned", "data-label-noise"),
    likely="inputs and labels were shuffled, sorted or filtered separately, or the labels are noise",
    fix="print a few inputs next to their labels as the model gets them; index both with the same permutation",
    severity=Severity.WARNING,
    confidence=0.6,
    find=find,
    symptom=True,
)
