"""Evaluation compares the model's outputs with targets in other units than its loss taught it.

## What it sees
In a rehearsal, the numbers that a loss wants the model to output are compared with those that an evaluation wants,
after undoing whatever is done to the outputs before the comparison. They lie far apart, or spread much wider or less in
the evaluation. Or each training batch has mean zero and standard deviation one by itself, and the evaluated targets do
not.

## When it is fine
Different parts of the same data are much closer than that. If training takes its examples in order, for example from a
series that rises, only models that are also scored in the units of training elsewhere are judged. Training targets that
a model had a hand in, such as a reward and a discounted value, move as it learns, and are not judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.scoring import AnswersScored


class Limits(Settable):
    numbers: int = 24
    """Fewest target values in the loss and in the evaluation; fewer are too small a sample."""
    factor: float = 4.0
    """Smallest factor by which they spread wider in the evaluation; parts of the same data stay within two."""
    deviations: float = 4.0
    """Smallest distance of their mean from that in training, in standard deviations of training; a series that rises
    may reach two."""
    certain_factor: float = 30.0
    """Smallest factor by which they spread less in the evaluation; a few similar rows can reach ten."""
    standard: float = 0.1
    """Smallest distance from mean zero or deviation one in the evaluation, when training standardizes each batch."""
    drift: float = 8.0
    """Largest variance between the means of the training batches, as a multiple of what chance gives; shuffled batches
    stay below five."""
    crowded: int = 2
    """Most evaluations right after one another, with a single step between; more are a part of the training."""


def find(scored: AnswersScored, limits: Limits) -> Found:
    wanted = scored.wanted
    if wanted is None or wanted.crowded > limits.crowded or not wanted.scored.std > 0:
        return
    taught, asked, wider, apart = wanted.trained, wanted.scored, wanted.wider, wanted.apart
    if min(taught.count, asked.count) < limits.numbers:
        return
    met = f"{asked.mean:.3g} ± {asked.std:.3g} in the evaluation"
    if taught.standard and max(abs(asked.mean), abs(asked.std - 1)) >= limits.standard:
        yield Evidence(
            where=at(wanted.trained_at, rank=scored.rank),
            saw=f"the targets that `{scored.model}` learns have mean 0 and deviation 1 in every batch, but are {met}",
            wanted="targets scaled the same way in training and in evaluation",
            cause="data-split-shift",
            likely="in training only, the targets of each batch are standardized by that batch",
            do="scale all targets by a single mean and deviation, those of the training set",
            numbers={"mean": asked.mean, "std": asked.std},
        )
    elif (wider >= limits.factor or apart >= limits.deviations or 0 < wider <= 1 / limits.certain_factor) and (
        scored.fitting or taught.drift <= limits.drift
    ):
        yield Evidence(
            where=at(scored.site, rank=scored.rank),
            saw=f"`{scored.model}` learns to output {taught.mean:.3g} ± {taught.std:.3g}, but would have to output "
            f"{met}",
            wanted="the same target values in both",
            numbers={"wider": wider, "apart": apart, "fitting": scored.fitting},
        )


CHECK = Check(
    id="FL554",
    summary="evaluation compares the outputs with targets in other units than training does",
    causes=("train-metric", "data-split-shift"),
    likely="the predictions are not scaled back to the units of the targets, or only one side is",
    fix="scale the predictions back where they are scored, by what the targets were scaled by in training",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
