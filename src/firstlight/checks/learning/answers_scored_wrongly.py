"""Evaluation does not compare the model's predictions with the right targets, or the right way.

## What it sees
In a rehearsal, the values that an evaluation compares are traced back to the model. One of three things is wrong. The
class that is compared with the targets, or picked for a comparison elsewhere, is the one the model finds least likely,
given how its loss trained it. Or predictions meet the targets of other rows: only one of the two is in the order in
which it was made or loaded (the other is rolled, sorted, loaded in a new shuffle, or taken from the dataset). Or
classes have other numbers than in training: this is known from the numbers that both were loaded with, or from the
shares of the classes, which are those of their neighbors.

## When it is fine
A score against shuffled targets next to the real one, as a measure of chance, is not reported. Nor are models whose
smallest output is the best one, such as distances, or targets that are the inputs shifted by one position. Classes that
training leaves out (a negative number) are ignored.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.scoring import AnswersScored


class Limits(Settable):
    answers: int = 8
    """Fewest predictions compared; with fewer it may be chance."""
    share: float = 0.9
    """Smallest share of the predictions compared on a line; the rest are batches too small to tell."""
    renamed: float = 0.25
    """Smallest share of the classes; a single one of many may have been merged with another on purpose."""
    counted: int = 200
    """Fewest labels counted on both sides before the shares of the classes say something."""
    apart: float = 0.3
    """Smallest difference of the shares (half the sum over all classes); parts of the same data stay below a tenth."""
    agreement: float = 0.1
    """Smallest loss of agreement that is told beside the order."""
    near: float = 0.4
    """Largest share of that difference that remains once the numbers of one side are shifted by one."""


def find(scored: AnswersScored, limits: Limits) -> Found:
    enough = max(limits.answers, limits.share * scored.answers)
    if scored.least >= enough:
        yield _evidence(
            scored,
            f"{scored.least} of {scored.answers} predictions compared here are the class that `{scored.model}` finds "
            "least likely",
            "the most likely class",
            do="take the largest output: `argmax`, without a minus sign before it",
        )
    elif scored.moved >= enough and not scored.elsewhere:
        yield _evidence(
            scored,
            f"{scored.moved} of {scored.answers} predictions of `{scored.model}` meet targets in a different "
            f"order than the inputs{_agreement(scored, limits)}",
            "each prediction compared with the target of its own row",
            do="compare with the targets in the order in which they came with the inputs: collect both in one loop",
        )
    elif scored.renamed and len(scored.renamed) >= limits.renamed * scored.classes:
        yield _renamed(scored)
    elif scored.counted >= limits.counted and _are_neighbours(scored, limits):
        yield _shifted(scored)


def _agreement(scored: AnswersScored, limits: Limits) -> str:
    if (torn := scored.torn) is None or not torn.made - torn.met >= limits.agreement:
        return ""
    return f": the agreement is {torn.met:.2f}, and {torn.made:.2f} with the targets that were loaded with the inputs"


def _are_neighbours(scored: AnswersScored, limits: Limits) -> bool:
    return scored.apart > limits.apart and scored.offset_apart < limits.near * scored.apart


def _renamed(scored: AnswersScored) -> Evidence:
    loaded, trained, compared = scored.renamed[0]
    return Evidence(
        where=at(scored.trained_at if trained != loaded else scored.site, rank=scored.rank),
        saw=f"the class that is loaded as {loaded} is {trained} in the loss of `{scored.model}` and {compared} where "
        f"its predictions are scored; {len(scored.renamed)} of {scored.classes} classes are renumbered like this",
        wanted="the same number for a class in training and in evaluation",
        cause="data-label-range",
        confidence=0.85,
        likely="on one side only, classes are counted from one, clipped, shifted or mapped",
        do="number the classes once, where they are loaded",
        numbers={"classes": scored.classes, "renamed": len(scored.renamed)},
    )


def _shifted(scored: AnswersScored) -> Evidence:
    return Evidence(
        where=at(scored.trained_at or scored.site, rank=scored.rank),
        saw=f"the shares of classes in the loss of `{scored.model}` and where its predictions are scored differ by "
        f"{scored.apart:.2f}, and by only {scored.offset_apart:.2f} if the numbers in the loss are one too "
        f"{'high' if scored.offset > 0 else 'low'}",
        wanted="the same number for a class in training and in evaluation",
        cause="data-label-range",
        severity=Severity.WARNING,
        confidence=0.6,
        likely="on one side only, classes are counted from one or shifted",
    )


def _evidence(scored: AnswersScored, saw: str, wanted: str, do: str) -> Evidence:
    return Evidence(
        where=at(scored.site, rank=scored.rank),
        saw=saw,
        wanted=wanted,
        do=do,
        numbers={"answers": scored.answers, "least": scored.least, "moved": scored.moved},
    )


CHECK = Check(
    id="FL552",
    summary="evaluation does not compare the model's predictions with the right targets, or the right way",
    causes=("train-metric", "data-label-range"),
    likely="the decision rule or the comparison in the evaluation is not the intended one",
    fix="compute the score by hand on three examples, and compare",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
