"""The program fits its training labels, but its score on held-out examples is no better than a guess.

## What it sees
Batch by batch the program predicts the answers it is trained on, or at least does so in part where a plain fit to some
training examples predicts others. It ran to its end, and the last score that it printed for validation or test examples
is about what chance gets, or lower. An accuracy is compared with always predicting the most common class, a balanced
one with a share of one class, an AUC with 0.5, and R², correlations, Cohen's kappa and Matthews' coefficient with 0.
Metrics of scikit-learn count too, if their answers are those of examples that the program does not train on.

## When it is fine
Nothing may carry over from one example to another, as with random labels that are memorized. Printed scores are
recognized by their names (`val_acc`, `test auc`).
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.relations import HeldBackScore


class Limits(Settable):
    learnt: float = 0.8
    """Smallest training skill, where 0 is predicting the same for all examples and 1 is never wrong."""
    foretold: float = 0.3
    """Smallest training skill where a plain fit has as much on examples it was not given: then it can carry over."""
    above: float = 0.05
    """Largest skill on held-out examples, on the same scale, that still counts as a guess."""


def find(score: HeldBackScore, limits: Limits) -> Found:
    guess = score.guess
    learnt = score.own >= limits.learnt or (score.own >= limits.foretold and score.foretold >= limits.foretold)
    if not (learnt and score.value <= guess + limits.above * (1 - guess)):
        return
    by, own = "a guess", f"{score.own:.0%} of the way from a guess to being always right"
    if score.accuracy:
        by, own = "always predicting the most common class", f"{guess + score.own * (1 - guess):.3g}"
    yield Evidence(
        where=at(score.site, rank=score.rank),
        saw=f"`{score.name}` is {score.value:.3g} at the end, while {by} gets {guess:.3g}; on its training "
        f"{'labels' if score.accuracy else 'answers'} the program reaches {own}",
        wanted="held-out examples that are predicted about as well",
        numbers={"value": score.value, "guess": guess, "own": score.own},
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
