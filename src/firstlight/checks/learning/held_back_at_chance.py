"""The program fits its training labels, but its score on held-out examples is no better than a guess.

## What it sees
Batch by batch the program predicts the classes it is trained on. It ran to its end, and the last accuracy that it
printed for validation or test examples is about that of always predicting the most common class, or lower.

## When it is fine
Nothing may carry over from one example to another, as with random labels that are memorized. Scores are recognized by
their names (`val_acc`, `test accuracy`), and only accuracies are judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import HeldBackScore


class Limits(Settable):
    learnt: float = 0.8
    """Smallest training skill, where 0 is predicting one class for all examples and 1 is never wrong."""
    above: float = 0.05
    """Largest skill on held-out examples, on the same scale, that still counts as a guess."""


def find(score: HeldBackScore, limits: Limits) -> Found:
    guess = score.common
    if not (score.own >= limits.learnt and score.value <= guess + limits.above * (1 - guess)):
        return
    yield Evidence(
        where=at(score.site, rank=score.rank),
        saw=f"`{score.name}` is {score.value:.3g} at the end, while always predicting the most common class gets "
        f"{guess:.3g}; on its training labels the program reaches {guess + score.own * (1 - guess):.3g}",
        wanted="held-out examples that are predicted about as well",
        numbers={"value": score.value, "common": guess, "own": score.own},
    )


CHECK = Check(
    id="FL511",
    summary="what is learned is of no use on held-out examples",
    causes=("unknown", "data-split-shift", "data-label-range", "data-tokenizer", "train-metric", "train-mode"),
    likely="inputs or targets of the two are prepared by different code, or the score compares the wrong things",
    fix="score the training examples with the evaluation code: if that is low too, the score is wrong; if not, print "
    "one example of each split as the model gets it",
    severity=Severity.WARNING,
    confidence=0.6,
    symptom=True,
    find=find,
)
