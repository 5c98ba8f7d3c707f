"""The score of an evaluation is made of earlier evaluations as well.

## What it sees
In a rehearsal, what a model gives in an evaluation is counted: its examples, and the numbers that are taken from its
answers, batch by batch. What a score is then made of (a sum that is divided, the lists that a metric is computed of) is
exactly what this evaluation gave and all the ones before it, with training in between, one evaluation after the other.

## When it is fine
A mean over the whole course of training that is wanted as such. Sums over several models (folds), or over several sets
between two steps, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.carried import ScoreCarried


class Limits(Settable):
    times: int = 2
    """Evaluations with others in their score; numbers may agree once by chance."""


def find(score: ScoreCarried, limits: Limits) -> Found:
    if not score.times >= limits.times:
        return
    what = "{:.0f} examples" if score.of_examples else "a sum of {:.6g}"
    yield Evidence(
        where=at(score.site, rank=score.rank),
        saw=f"the score is made of {what.format(score.counted)}, of which this evaluation gave {score.own:.6g}; the "
        f"rest is what the {score.evaluations - 1} evaluations before it gave, with weights that are no more",
        wanted="a score of the answers of one evaluation alone",
        numbers={"counted": score.counted, "own": score.own, "evaluations": score.evaluations},
    )


CHECK = Check(
    id="FL555",
    summary="the score of an evaluation is made of earlier evaluations as well",
    causes=("train-metric", "train-state-leak"),
    likely="sums, counts or lists of an evaluation are made once and never cleared",
    fix="begin each evaluation with empty sums and lists: `metric.reset()` before its first batch",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
