"""Evaluation wants other numbers of a model than its loss taught it.

## What it sees
In a rehearsal, the numbers that a loss wants of a model and those that an evaluation compares it with, once whatever is
done to the outputs before they meet is undone. They lie far apart, or spread much wider or less where they are scored.
Or each batch of training has mean zero and deviation one by itself, and what is scored has not.

## When it is fine
Parts of the same data are much nearer. Where training takes its examples in order, as of a series that rises, only
models are judged that are scored in the units of training elsewhere.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.scoring import AnswersScored


class Limits(Settable):
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


def find(scored: AnswersScored, limits: Limits) -> Found:
    wanted = scored.wanted
    if wanted is None or wanted.crowded > limits.crowded or not wanted.scored.std > 0:
        return
    taught, asked, wider, apart = wanted.trained, wanted.scored, wanted.wider, wanted.apart
    if min(taught.count, asked.count) < limits.numbers:
        return
    met = f"{asked.mean:.3g} ± {asked.std:.3g} where it is scored"
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
            numbers={"wider": wider, "apart": apart, "fitting": scored.fitting},
        )


CHECK = Check(
    id="FL554",
    summary="evaluation wants other numbers of a model than its loss taught it",
    causes=("train-metric", "data-split-shift"),
    likely="its answers are not scaled back to the units of the targets, or only one side is",
    fix="scale the answers back where they are scored, by what the targets were scaled by in training",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
