"""The answers belong to other rows, places or pixels than those they are given with.

## What it sees
A sample of the training examples with their answers in the loss. Examples that are alike should have like answers; if
they do not, and would with those of the next row, those were shifted. Answers at each place of a sequence or an image
may fit better when moved, mirrored or turned. Where nothing is learnt or related, and it would show, they were mixed.

## When it is fine
Tasks about the past want the answers of earlier places. Where likeness means nothing (parity, brackets), learning is
enough, or that a plain fit foretells the answers better than luck; where it is to be learnt (among names of users,
items, shops), nothing is said. What is learnt by heart alone has a check of its own.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where, at
from firstlight.records.relations import Neighbours, Places, Relations

ALIKE = "like answers for examples that are alike"


class Limits(Settable):
    by_chance: float = 4.0
    """Deviations within which likeness may be luck, several offsets having been tried."""
    certain: float = 10.0
    """Deviations from which on it is none; if answers as frequent as these could show fewer, it proves nothing."""
    shown: float = 0.25
    """Of the deviations that answers which belong to their examples would show."""
    foretold: float = 0.5
    """Skill of a plain fit, from which on answers do belong to their examples; 1 is never wrong."""
    examples: int = 512
    """Of those that were compared; to say that there is no relation takes many."""
    unlearnt: int = 96
    """Steps measured without a certificate that it learns; healthy programs that learn slowly needed up to 73."""
    levelled: float = 0.5
    """Of the values, made one of a few on their way in: then that nothing is related says nothing of the data."""
    no_power: float = 0.1
    """Of any single feature over the answer: it tells nothing."""
    places: float = 3.0
    """Times as much an input tells of the answer at another place."""
    told: float = 0.3
    """Of the answer, by the input at the better place."""
    share: float = 0.25
    """Of the images whose answers fit better otherwise; augmentation of one side turns half of them."""
    steps: int = 4
    """At which places were compared."""


def find(relations: Relations, limits: Limits) -> Found:
    seen, near = relations.seen, relations.seen.near
    where = at(seen.site, step=seen.step, rank=seen.rank)
    open_ = not seen.acting and seen.skills.plain < limits.foretold
    if seen.places is not None and _moved(seen.places, limits):
        yield Evidence(
            where=where,
            saw=f"the answers fit their input better {seen.places.best}: {seen.places.best_fit:.2f} against "
            f"{seen.places.fit:.2f} as they are",
            wanted="answers that fit best where they are",
            likely="answers and inputs are cut, shifted or turned by different code",
            numbers={"fit": seen.places.fit, "best_fit": seen.places.best_fit, "share": seen.places.share},
        )
    elif open_ and (shifted := [one for one in (near, seen.in_order) if _is_shifted(one, limits)]):
        yield _shifted(shifted[0], where)
    elif open_ and relations.unlearnt >= limits.unlearnt and _unrelated(relations, limits):
        yield Evidence(
            where=where,
            saw=f"of {near.examples:,} examples, those that are alike have no more alike answers than any two "
            f"({near.deviations:.1f} deviations from chance, where answers that belong to them could show "
            f"{near.could:.0f}), no feature tells anything of them, and nothing shows that they are learnt",
            wanted=ALIKE,
            confidence=0.7,
            numbers={"deviations": near.deviations, "examples": near.examples},
        )


def _is_shifted(near: Neighbours, limits: Limits) -> bool:
    return near.deviations < limits.by_chance and near.offset_deviations >= limits.certain


def _shifted(near: Neighbours, where: Where) -> Evidence:
    return Evidence(
        where=where,
        saw=f"examples that are alike have like answers {abs(near.offset)} row{'s' * (abs(near.offset) != 1)} "
        f"{'further on' if near.offset > 0 else 'before'} ({near.offset_deviations:.0f} deviations from chance), "
        f"and not in their own row ({near.deviations:.1f})",
        wanted=ALIKE,
        severity=Severity.ERROR,
        likely="inputs and answers were shifted against each other, or one of them lost a row",
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
        return False  # The program foretells them, be it by heart; or a plain fit does, on examples new to it.
    few = abs(near.deviations) < min(limits.by_chance, limits.shown * near.could) and near.could >= limits.certain
    few = few and near.examples >= limits.examples and not relations.seen.named
    return few and relations.levelled < limits.levelled and tells.of > 0 and tells.others < limits.no_power


CHECK = Check(
    id="FL161",
    summary="answers belong to other examples than those they are given with",
    causes=("data-label-misaligned",),
    likely="inputs and answers were shuffled, sorted or filtered separately",
    fix="print ten inputs with their answers as the loss gets them; permute both with the same index",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
