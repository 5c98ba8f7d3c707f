"""The labels belong to other rows, positions or pixels than the inputs they come with.

## What it sees
A sample of the training examples with their labels in the loss. Similar examples should have similar labels. If they do
not, but would with the labels of another row, the labels were shifted. Labels for each position of a sequence or each
pixel of an image may fit better when shifted, mirrored or turned. If the labels are unrelated to the inputs and are not
learned, although a relation would have shown, they were shuffled.

## When it is fine
In tasks about the past, labels belong to earlier positions on purpose. Where similar inputs mean nothing (parity,
brackets), it is enough that the program learns, or that a simple fit predicts the labels better than chance. Where
similarity itself must be learned (IDs of users, items, shops), nothing is reported. Another check covers memorized
labels.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where, at
from firstlight.records.relations import Neighbours, Places, Relations

ALIKE = "similar labels for similar examples"


class Limits(Settable):
    by_chance: float = 4.0
    """Standard deviations from chance within which a relation may be luck, as several offsets are tried."""
    certain: float = 10.0
    """Fewest standard deviations that rule out luck; if such labels could show fewer, finding none means nothing."""
    shown: float = 0.25
    """Largest share of the deviations that labels which belong to their examples would show."""
    foretold: float = 0.5
    """Skill of a simple fit from which on the labels count as belonging to their examples; 1 is never wrong."""
    examples: int = 512
    """Fewest examples compared; it takes many to say that there is no relation."""
    unlearnt: int = 96
    """Fewest steps measured without proof that it learns; healthy programs that learn slowly needed up to 73."""
    levelled: float = 0.5
    """Share of the input values collapsed to a few from which on a missing relation says nothing about the data."""
    no_power: float = 0.1
    """Largest power of any single feature over the label, from 0 to 1; below it, the feature says nothing."""
    places: float = 3.0
    """Smallest factor by which an input says more about the label at the other position than about its own."""
    told: float = 0.3
    """Smallest share of the label that the input determines at the better position."""
    share: float = 0.25
    """Smallest share of the images whose labels fit better otherwise; augmentation of one side turns half of them."""
    steps: int = 4
    """Fewest steps at which positions were compared."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, near = relations.seen, relations.seen.near
    where = at(seen.site, step=seen.step, rank=seen.rank)
    open_ = not seen.acting and seen.skills.plain < limits.foretold
    if seen.places is not None and _moved(seen.places, limits):
        yield Evidence(
            where=where,
            saw=f"the labels fit the input better {seen.places.best}: {seen.places.best_fit:.2f} against "
            f"{seen.places.fit:.2f} as they are",
            wanted="labels that fit best where they are",
            likely="labels and inputs are cut, shifted or turned by different code",
            numbers={"fit": seen.places.fit, "best_fit": seen.places.best_fit, "share": seen.places.share},
        )
    elif open_ and (shifted := [one for one in (near, seen.in_order) if _is_shifted(one, limits)]):
        yield _shifted(shifted[0], where)
    elif open_ and relations.unlearnt >= limits.unlearnt and _unrelated(relations, limits):
        yield Evidence(
            where=where,
            saw=f"of {near.examples:,} examples, similar ones have no more similar labels than any two "
            f"({near.deviations:.1f} standard deviations from chance, where labels that belong to them could show "
            f"{near.could:.0f}), no feature says anything about them, and nothing shows that they are learned",
            wanted=ALIKE,
            confidence=0.7,
            numbers={"deviations": near.deviations, "examples": near.examples},
        )


def _is_shifted(near: Neighbours, limits: Limits) -> bool:
    return near.deviations < limits.by_chance and near.offset_deviations >= limits.certain


def _shifted(near: Neighbours, where: Where) -> Evidence:
    return Evidence(
        where=where,
        saw=f"similar examples have similar labels {abs(near.offset)} row{'s' * (abs(near.offset) != 1)} "
        f"{'further down' if near.offset > 0 else 'further up'} ({near.offset_deviations:.0f} standard deviations from "
        f"chance), but not in their own row ({near.deviations:.1f})",
        wanted=ALIKE,
        severity=Severity.ERROR,
        likely="inputs and labels were shifted against each other, or one of them lost a row",
        numbers={"deviations": near.deviations, "offset": near.offset, "offset_deviations": near.offset_deviations},
    )


def _moved(places: Places, limits: Limits) -> bool:
    if not places.best or places.steps < limits.steps:
        return False
    if places.kind == "pixels":
        return places.share >= limits.share
    fits = places.best_fit >= limits.told and places.best_fit >= limits.places * places.fit
    return places.share >= 1 - limits.share and fits


def _unrelated(relations: Relations, limits: Limits) -> bool:
    near, tells, skills = relations.seen.near, relations.seen.tells, relations.seen.skills
    if not (skills.own < limits.foretold and skills.deviations < limits.by_chance):
        return False  # The program predicts them, if only by memory, or a simple fit does, on examples it has not seen.
    few = abs(near.deviations) < min(limits.by_chance, limits.shown * near.could) and near.could >= limits.certain
    few = few and near.examples >= limits.examples and not relations.seen.named
    return few and relations.levelled < limits.levelled and tells.of > 0 and tells.others < limits.no_power


CHECK = Check(
    id="FL161",
    summary="labels do not belong to the examples they come with",
    causes=("data-label-misaligned",),
    likely="inputs and labels were shuffled, sorted or filtered separately",
    fix="print ten inputs with their labels as the loss gets them, and permute both with the same index",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
