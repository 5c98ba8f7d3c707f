"""The same input comes with different labels.

## What it sees
Training examples that agree in every value of every input and yet have different classes. Whatever the model answers,
it is wrong for one of them. Inputs that can hardly differ (a few categories) coincide by chance and are not counted.

Where a program is run, also examples whose class none of the nearest others has, while those agree on another. In
honest data such confusions are few and go to similar classes; where they are many and spread over all classes, as if
drawn, a note tells which are the most doubtful.

## When it is fine
Examples labelled by several people, or outcomes that are random by nature: the model then learns how frequent each is.
Noisy labels may be meant, with a loss that allows for them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from firstlight.checks.declare import Check
from firstlight.records.declared import LabelsSeen
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    share: float = 0.01
    """Of the training examples; fewer are the odd mistake of every large data set, and a note."""
    room_bits: float = 64.0
    """By which inputs can differ; with fewer they coincide by chance."""
    doubtful: float = 0.05
    """Share of the examples with a class that none of their neighbours has; honest data has a hundredth or two."""
    scattered: float = 0.7
    """Of the spread that wrong classes drawn at random would have."""
    compared: int = 256
    """Fewer examples say little about their neighbours."""


def find(seen: LabelsSeen, limits: Limits) -> Iterator[Evidence]:
    yield from _doubtful(seen, limits)
    if not seen.conflicting or not seen.room >= limits.room_bits:
        return
    share = seen.conflicting / max(1, seen.train)
    pair = f", such as classes {seen.pair[0]} and {seen.pair[1]} for the same input" if len(seen.pair) > 1 else ""
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"{seen.conflicting} of {seen.train} training examples share all their inputs with an example "
        f"of another class{pair}",
        wanted="one class for one input",
        severity=None if share >= limits.share else Severity.NOTE,
        numbers={"conflicting": seen.conflicting, "repeated": seen.repeated, "train": seen.train},
    )


def _doubtful(seen: LabelsSeen, limits: Limits) -> Iterator[Evidence]:
    if seen.compared < limits.compared or seen.doubtful < limits.doubtful * seen.compared:
        return
    if not seen.scattered >= limits.scattered:
        return
    named = ", ".join(f"row {row} of step {step}" for step, row in seen.most_doubtful)
    yield Evidence(
        where=at(seen.site, rank=seen.rank),
        saw=f"{seen.doubtful:,} of {seen.compared:,} training examples have a class that their nearest examples do not "
        f"have, spread over all classes; most doubtful: {named}",
        wanted=f"fewer than {limits.doubtful:.0%} of them",
        cause="data-label-noise",
        severity=Severity.NOTE,
        confidence=0.5,
        numbers={"doubtful": seen.doubtful, "compared": seen.compared, "scattered": seen.scattered},
    )


CHECK = Check(
    id="FL132",
    name="labels-conflict",
    summary="the same input comes with different labels",
    causes=("data-duplicates", "data-label-noise"),
    likely="tables joined many to many, a feature that told the examples apart was dropped, or mistaken labels",
    fix="print the examples of one such input with their ids, and drop or merge them",
    severity=Severity.WARNING,
    confidence=0.85,
    needs=LabelsSeen,
    limits=Limits(),
    find=find,
)
