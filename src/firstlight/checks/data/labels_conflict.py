"""The same input comes with different labels.

## What it sees
Training examples that agree in every value of every input have different classes. Whatever the model predicts, it is
wrong for one of them. Inputs with little room to differ (a few categories) coincide by chance and are not counted.

## When it is fine
Examples labeled by several people, or outcomes that are random by nature: the model then learns how frequent each is.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import LabelsSeen


class Limits(Settable):
    share: float = 0.01
    """Smallest share of the training examples for a warning; fewer are the odd mistake of every large dataset."""
    room_bits: float = 64.0
    """Fewest bits by which inputs can differ; with fewer, they coincide by chance."""


def find(seen: LabelsSeen, limits: Limits) -> Found:
    if not seen.conflicting or not seen.room >= limits.room_bits:
        return
    share = seen.conflicting / max(1, seen.train)
    pair = f", such as classes {seen.pair[0]} and {seen.pair[1]} for the same input" if len(seen.pair) > 1 else ""
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"{seen.conflicting} of {seen.train} training examples share all their inputs with an example "
        f"of another class{pair}",
        wanted="one class for each input",
        severity=None if share >= limits.share else Severity.NOTE,
        numbers={"conflicting": seen.conflicting, "repeated": seen.repeated, "train": seen.train},
    )


CHECK = Check(
    id="FL132",
    summary="the same input comes with different labels",
    causes=("data-duplicates", "data-label-noise"),
    likely="tables were joined many to many, a feature that told the examples apart was dropped, or labels are wrong",
    fix="print the examples of one such input with their ids, and drop or merge them",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
