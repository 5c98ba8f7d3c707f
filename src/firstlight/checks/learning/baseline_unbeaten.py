"""After a short training the model is no better than a prediction that needs no model.

## What it sees
The model is trained for a while as declared, and scored on the validation examples. Simple predictions fitted to the
same training examples are scored there as well: the most frequent class or the mean, the last value of a series, a
linear model.

## When it is fine
A large model may need far longer than this to beat a linear one, so that is a note. Failing to beat a constant
prediction is more serious: nothing was learned that holds for new examples. A target that cannot be predicted at all
looks the same.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Baselines

CONSTANT = ("majority class", "mean")


class Limits(Settable):
    noises: float = 2.0
    """Standard errors by which the model must be better than a constant prediction."""
    behind: float = 1.1
    """Factor on the error of a better prediction from which on the model counts as behind it."""
    steps: int = 100
    """Fewest training steps; after fewer nothing is reported."""


def find(seen: Baselines, limits: Limits) -> Found:
    if seen.steps < limits.steps or not seen.scores:
        return
    best = min(seen.scores, key=lambda score: score.error)
    constant = next((score for score in seen.scores if score.name in CONSTANT), None)
    bar = constant.error - limits.noises * seen.noise if constant is not None else 0.0
    lost = constant is not None and seen.model_error >= bar
    if not (lost or seen.model_error >= limits.behind * best.error + limits.noises * seen.noise):
        return
    yield Evidence(
        where=at(seen.site),
        saw=f"after {seen.steps} steps the {seen.measure} is {seen.model_error:.3g} on {seen.scored} new examples; "
        + ", ".join(f"{score.name} {score.error:.3g}" for score in seen.scores),
        wanted=f"less than {bar if lost else best.error:.3g}",
        severity=Severity.WARNING if lost and best.error < bar else Severity.NOTE,
        numbers={"model": seen.model_error, "train": seen.model_train_error, "best": best.error, "noise": seen.noise},
    )


CHECK = Check(
    id="FL551",
    summary="the model is no better than a prediction that needs no model",
    causes=("unknown", "hp-lr-low", "data-label-misaligned", "arch-capacity"),
    likely="the model fails to learn even what a linear model finds: check learning rate, pairing and output layer",
    fix="overfit a single batch; if that works, compare the features of the linear model with the inputs of the model",
    severity=Severity.WARNING,
    confidence=0.4,
    symptom=True,
    find=find,
)
