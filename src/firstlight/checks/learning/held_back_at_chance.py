"""The program knows its training answers, and what it scores on held-back examples is no better than a guess.

## What it sees
Batch by batch the program foretells the classes it is trained on. It came to its end, and the last accuracy that it
printed of validation or test examples is about that of always answering the commonest class, or lower.

## When it is fine
Where nothing carries over from one example to another, as with random labels that are learnt by heart. Scores are known
by their names (`val_acc`, `test accuracy`), and only accuracies are judged.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import HeldBackScore


class Limits(Settable):
    learnt: float = 0.8
    """Of the way from one answer for all examples to never being wrong, in training."""
    above: float = 0.05
    """The same on held-back examples, within which it is a guess."""


def find(score: HeldBackScore, limits: Limits) -> Found:
    guess = score.common
    if not (score.own >= limits.learnt and score.value <= guess + limits.above * (1 - guess)):
        return
    yield Evidence(
        where=at(score.site, rank=score.rank),
        saw=f"`{score.name}` is {score.value:.3g} in the end, where always answering the commonest class gets "
        f"{guess:.3g}; of its training answers the program foretells {guess + score.own * (1 - guess):.3g}",
        wanted="held-back examples that are foretold about as well",
        numbers={"value": score.value, "common": guess, "own": score.own},
    )


CHECK = Check(
    id="FL511",
    summary="what is learnt is of no use for held-back examples",
    causes=("unknown", "data-split-shift", "data-label-range", "data-tokenizer", "train-metric", "train-mode"),
    likely="inputs or answers of the two are prepared by different code, or the score compares the wrong things",
    fix="score the training examples with the code of the evaluation: if that is low too, it is the score; if not, "
    "print one example of each split as the model gets it",
    severity=Severity.WARNING,
    confidence=0.6,
    symptom=True,
    find=find,
)
