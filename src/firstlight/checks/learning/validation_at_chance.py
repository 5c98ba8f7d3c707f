"""The model knows its training examples, and guesses at all others.

## What it sees
The training loss lies far below what knowing the mixture of classes alone would give, and for five evaluations in a row
the validation accuracy was no better than always answering the commonest class.

## When it is fine
A task in which nothing carries over, as random labels learnt by heart. Accuracies are known by their name
(`val_acc`, `eval_accuracy`), and classes by the labels that the loader gives.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import ScoreTrack

ACCURACY = ("acc", "accuracy")
PERCENT = 100.0


class Limits(Settable):
    evaluations: int = 5
    """In a row."""
    above: float = 0.02
    """By which an accuracy may lie above the share of the commonest class and still be a guess."""
    learnt: float = 0.5
    """Share of the loss of one who knows the mixture alone, below which the training examples are known."""


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
        wanted=f"more than {guess:.1%}, the share of the commonest class; a blind guess has a loss of {blind:.3g}",
        numbers={"accuracy": best, "guess": guess, "train": track.train, "blind": blind},
    )


CHECK = Check(
    id="FL580",
    summary="what is learnt does not carry over: validation stays at the level of a guess",
    causes=("data-split-shift", "train-mode", "train-metric", "data-label-misaligned"),
    likely="validation examples are prepared differently, their labels are numbered differently, or the mode is wrong",
    fix="evaluate on the training examples with the code of the validation: it must give the training accuracy",
    severity=Severity.WARNING,
    confidence=0.8,
    find=find,
)
