"""The model fits its training examples but only guesses on validation examples.

## What it sees
The training loss is far below what knowing only the class frequencies would give, but for five evaluations in a row the
validation accuracy was no better than always predicting the most common class.

## When it is fine
A task in which nothing carries over, such as random labels that are memorized. Accuracies are recognized by their name
(`val_acc`, `eval_accuracy`), and classes by the labels that the loader gives.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScoreTrack

ACCURACY = ("acc", "accuracy")
PERCENT = 100.0


class Limits(Settable):
    evaluations: int = 5
    """Fewest evaluations in a row."""
    above: float = 0.02
    """How far an accuracy may be above the share of the most common class and still count as a guess."""
    learnt: float = 0.5
    """Share of the loss for knowing only the class frequencies, below which the training examples count as learned."""


def find(track: ScoreTrack, limits: Limits) -> Found:
    last = track.values[-limits.evaluations :]
    if len(last) < limits.evaluations or not track.mixture or not track.name.endswith(ACCURACY):
        return
    best = max(last) / (PERCENT if max(track.values) > 1 else 1.0)
    blind = -sum(share * math.log(share) for share in track.mixture if share > 0)
    guess = max(track.mixture)
    if not (track.train < limits.learnt * blind and all(map(math.isfinite, last)) and best <= guess + limits.above):
        return
    yield Evidence(
        where=Where(step=track.step, rank=track.rank),
        saw=f"`{track.name}` was at most {best:.1%} at the last {len(last)} evaluations, and the training loss is "
        f"{track.train:.3g}",
        wanted=f"more than {guess:.1%}, the share of the most common class; a blind guess has a loss of {blind:.3g}",
        numbers={"accuracy": best, "guess": guess, "train": track.train, "blind": blind},
    )


CHECK = Check(
    id="FL580",
    summary="what is learned does not carry over: validation stays at the level of a guess",
    causes=("data-split-shift", "train-mode", "train-metric", "data-label-misaligned"),
    likely="validation examples are preprocessed differently, their labels are numbered differently, or the mode is "
    "wrong",
    fix="evaluate the training examples with the validation code: it must give the training accuracy",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
