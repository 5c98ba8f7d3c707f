"""A preparation was fitted on rows that the model is evaluated on.

## What it sees
The rows that a scikit-learn transformer was fitted on, followed by value through what it returns, through splits and
later transformers up to the table that the model is given: rows that are evaluated, and not trained on, are among them.
Where the transformer looks at answers (feature selection, target encoding; tried out with answers of other rows in
their place), those of the evaluated rows went into the features.

## When it is fine
A fit without answers (a scaler, an imputer, PCA) takes little from the held-back rows: a note tells it. Nothing is told
where other evaluated rows went through the same transformer and were not fitted on: those are a test set. What is
fitted within each fold is fine, and so is evaluating the training set.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.program import FitSeen


class Limits(Settable):
    evaluated: int = 16
    """Rows; fewer may be doubles of others."""
    share: float = 0.9
    """Of the rows that are evaluated and went through it: with fewer, some are held back from it."""


def find(fit: FitSeen, limits: Limits) -> Found:
    evaluated = fit.inside + fit.outside
    if fit.inside < limits.evaluated or fit.inside < limits.share * evaluated:
        return
    with_answers = "with the answers of" if fit.answers else "on"
    yield Evidence(
        where=at(fit.site, step=fit.step, rank=fit.rank),
        saw=f"`{fit.name}` is fitted {with_answers} {fit.fitted:,} rows; {fit.inside:,} of "
        f"{evaluated:,} rows that went through it and are only evaluated are among them",
        wanted="a fit on rows that are trained on alone",
        severity=None if fit.answers else Severity.NOTE,
        cause=None if fit.answers else "data-leak-split",
        numbers={"fitted": fit.fitted, "inside": fit.inside, "outside": fit.outside},
    )


CHECK = Check(
    id="FL196",
    summary="a preparation was fitted on rows that the model is evaluated on",
    causes=("data-leak-target", "data-leak-split"),
    likely="features were selected, encoded or scaled before the data was split",
    fix="split first; `fit` on the training part, `transform` both, or put all steps into a `Pipeline`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
