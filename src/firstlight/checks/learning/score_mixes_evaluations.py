"""The score of an evaluation includes earlier evaluations.

## What it sees
In a rehearsal, everything that a model outputs in an evaluation is counted: its examples, and the numbers taken from
its predictions, batch by batch. What a score is then computed from (a sum that is divided, the lists given to a metric)
contains exactly this evaluation and all those before it, with training in between, at one evaluation after the other.

## When it is fine
A mean over the whole course of training may be intended. Sums over several models (folds), or over several sets between
two steps, are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.carried import ScoreCarried


class Limits(Settable):
    times: int = 2
    """Fewest evaluations whose score includes others; numbers may agree once by chance."""


def find(score: ScoreCarried, limits: Limits) -> Found:
    if not score.times >= limits.times:
        return
    what = "{:.0f} examples" if score.of_examples else "a sum of {:.6g}"
    yield Evidence(
        where=at(score.site, rank=score.rank),
        saw=f"the score is made of {what.format(score.counted)}, of which this evaluation gave {score.own:.6g}; the "
        f"rest comes from the {score.evaluations - 1} evaluations before it, with earlier weights",
        wanted="a score of the predictions of one evaluation alone",
        numbers={"counted": score.counted, "own": score.own, "evaluations": score.evaluations},
    )


CHECK = Check(
    id="FL555",
    summary="the score of an evaluation includes earlier evaluations",
    causes=("train-metric", "train-state-leak"),
    likely="the sums, counts or lists of an evaluation are created once and never cleared",
    fix="start each evaluation with empty sums and lists: `metric.reset()` before its first batch",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
