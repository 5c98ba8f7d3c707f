"""Evaluation scores something other than the model's answers to its own questions.

## What it sees
In a rehearsal, what an evaluation compares is followed back to the model. Either the class that is held against the
targets, or taken from the answers to be compared elsewhere, is the one the model finds least likely, by the sense in
which its loss trained it; or the targets were put in another order (rolled, flipped, indexed, loaded again and shuffled
anew) which neither the inputs nor the answers were; or classes have other numbers than in training, going by those that
both were loaded with, or by their shares, which are those of their neighbours. Or numbers are wanted of the model which
lie far from those that its loss wants, or spread much wider or less, once whatever is done to its outputs before they
are compared is undone.

## When it is fine
A score against shuffled targets beside the real one, as a measure of chance, is not reported. Nor are models whose
smallest output is the best one, such as distances, or targets that are the inputs shifted by a place. Classes that
training leaves out (a negative number) count for nothing. Numbers are left out where training takes them in order, as
of a series that rises, unless the same model is scored in the units of training elsewhere.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, Settable
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at
from firstlight.records.scoring import AnswersScored, Wanted


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
    numbers: int = 24
    """Wanted of the model, in its loss and where it is scored; fewer are no sample."""
    factor: float = 4.0
    """By which they spread wider where they are scored; parts of the same data stay within two."""
    deviations: float = 4.0
    """By which they lie away from those of training; a series that rises may come to two."""
    certain_factor: float = 30.0
    """By which they may also spread less: a few rows that are much alike reach ten."""
    standard: float = 0.1
    """Away from mean zero and deviation one, at the least, where only training standardises each batch."""
    drift: float = 8.0
    """Between the means of the batches of training, in what chance makes of it: shuffled ones stay below five."""
    crowded: int = 2
    """Evaluations right after one another, with a step in between: those are a part of the training."""


def find(scored: AnswersScored, limits: Limits) -> Iterator[Evidence]:
    if scored.wanted is not None:
        yield from _otherwise(scored, scored.wanted, limits)
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


def _otherwise(scored: AnswersScored, wanted: Wanted, limits: Limits) -> Iterator[Evidence]:
    taught, asked = wanted.trained, wanted.scored
    if min(taught.count, asked.count) < limits.numbers or wanted.crowded > limits.crowded or not asked.std > 0:
        return
    met = f"{asked.mean:.3g} ± {asked.std:.3g} where it is scored"
    wider, apart = wanted.wider, wanted.apart
    if taught.standard and max(abs(asked.mean), abs(asked.std - 1)) >= limits.standard:
        yield Evidence(
            where=at(wanted.trained_at, rank=scored.rank),
            saw=f"the answers that `{scored.model}` learns have mean 0 and deviation 1 in every batch, and are {met}",
            wanted="answers scaled alike in training and in evaluation",
            cause="data-split-shift",
            likely="the targets of a batch are standardised by the batch itself, in training alone",
            do="scale all targets by one mean and one deviation, those of the training set",
            numbers={"mean": asked.mean, "std": asked.std},
        )
    elif (wider >= limits.factor or apart >= limits.deviations or 0 < wider <= 1 / limits.certain_factor) and (
        scored.fitting or taught.drift <= limits.drift
    ):
        yield Evidence(
            where=at(scored.site, rank=scored.rank),
            saw=f"`{scored.model}` learns to put out {taught.mean:.3g} ± {taught.std:.3g}, and would have to put out "
            f"{met}",
            wanted="the same numbers wanted of it in both",
            likely="its answers are not scaled back to the units of the targets, or only one side is",
            do="scale the answers back where they are scored, by what the targets were scaled by in training",
            numbers={"wider": wider, "apart": apart, "fitting": scored.fitting},
        )


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
    name="answers-scored-wrongly",
    summary="evaluation scores something other than the model's answers to its own questions",
    causes=("train-metric", "data-label-range", "data-split-shift"),
    likely="the decision or the comparison in the evaluation is not the one that was meant",
    fix="compute the score by hand on three examples, and compare",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
