"""Evaluation scores something other than the model's answers to its own questions.

## What it sees
In a rehearsal, what an evaluation compares is followed back to the model. Either the class that is held against the
targets, or taken from the answers to be compared elsewhere, is the one the model finds least likely, by the sense in
which its loss trained it; or the targets were put in another order (rolled, flipped, indexed, loaded again and shuffled
anew) which neither the inputs nor the answers were; or classes have other numbers than in training, going by those that
both were loaded with, or by their shares, which are those of their neighbours.

## When it is fine
A score against shuffled targets beside the real one, as a measure of chance, is not reported. Nor are models whose
smallest output is the best one, such as distances, or targets that are the inputs shifted by a place. Classes that
training leaves out (a negative number) count for nothing.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.scoring import AnswersScored


class Limits(Settable):
    answers: int = 8
    """Fewer may be so by chance."""
    share: float = 0.9
    """Of the answers compared on a line; the rest are batches too small to be told apart."""
    renamed: float = 0.25
    """Of the classes; a single one of many may have been joined with another on purpose."""
    counted: int = 200
    """Classes on both sides, before their shares say something."""
    apart: float = 0.3
    """Half the sum by which the shares differ: parts of the same data stay below a tenth."""
    near: float = 0.4
    """Of that, what is left at the most once the numbers of one side are moved by one."""


def find(scored: AnswersScored, limits: Limits) -> Found:
    enough = max(limits.answers, limits.share * scored.answers)
    if scored.least >= enough:
        yield _evidence(
            scored,
            f"{scored.least} of {scored.answers} answers compared here are the class that `{scored.model}` finds least "
            "likely",
            "the most likely class",
            do="take the largest output: `argmax`, without a minus sign before it",
        )
    elif scored.moved >= enough and not scored.elsewhere:
        yield _evidence(
            scored,
            f"{scored.moved} of {scored.answers} answers of `{scored.model}` are compared with targets in another "
            "order than the inputs came in",
            "each answer held against the target of its own row",
            do="compare with the targets as they came with the inputs",
        )
    elif scored.renamed and len(scored.renamed) >= limits.renamed * scored.classes:
        yield _renamed(scored)
    elif scored.counted >= limits.counted and _are_neighbours(scored, limits):
        yield _shifted(scored)


def _are_neighbours(scored: AnswersScored, limits: Limits) -> bool:
    return scored.apart > limits.apart and scored.offset_apart < limits.near * scored.apart


def _renamed(scored: AnswersScored) -> Evidence:
    loaded, trained, compared = scored.renamed[0]
    return Evidence(
        where=at(scored.trained_at if trained != loaded else scored.site, rank=scored.rank),
        saw=f"the class that is loaded as {loaded} is {trained} in the loss of `{scored.model}` and {compared} where "
        f"its answers are scored; so are {len(scored.renamed)} of {scored.classes} classes",
        wanted="the same number for a class in training and in evaluation",
        cause="data-label-range",
        confidence=0.85,
        likely="classes are counted from one on one side, or clipped, shifted or mapped there alone",
        do="number the classes once, where they are loaded",
        numbers={"classes": scored.classes, "renamed": len(scored.renamed)},
    )


def _shifted(scored: AnswersScored) -> Evidence:
    return Evidence(
        where=at(scored.trained_at or scored.site, rank=scored.rank),
        saw=f"the shares of classes in the loss of `{scored.model}` and where its answers are scored differ by "
        f"{scored.apart:.2f}, and by {scored.offset_apart:.2f} if those in the loss are one too "
        f"{'high' if scored.offset > 0 else 'low'}",
        wanted="the same number for a class in training and in evaluation",
        cause="data-label-range",
        severity=Severity.WARNING,
        confidence=0.6,
        likely="classes are counted from one on one side, or shifted there alone",
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
    summary="evaluation scores something other than the model's answers to its own questions",
    causes=("train-metric", "data-label-range"),
    likely="the decision or the comparison in the evaluation is not the one that was meant",
    fix="compute the score by hand on three examples, and compare",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
