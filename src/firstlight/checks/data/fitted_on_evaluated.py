"""A preprocessing step was fitted on rows that the model is evaluated on.

## What it sees
The rows that a scikit-learn transformer was fitted on are followed by value through its output, through splits and
later transformers, up to the table that the model is given. Among them are rows that are evaluated and not trained on.
If the transformer uses the targets (feature selection, target encoding; tested by giving it the targets of other rows),
those of the evaluated rows went into the features.

## When it is fine
A fit without targets (a scaler, an imputer, PCA) takes little from the held-out rows and gives only a note. Nothing is
reported if other evaluated rows went through the same transformer without being fitted on: those are a test set.
Fitting within each fold is fine, and so is evaluating the training set.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.program import FitSeen


class Limits(Settable):
    evaluated: int = 16
    """Fewest evaluated rows that it was fitted on; fewer may be duplicates of others."""
    share: float = 0.9
    """Smallest share of the evaluated rows that went through it; with less, some are held out from the fit."""


def find(fit: FitSeen, limits: Limits) -> Found:
    evaluated = fit.inside + fit.outside
    if fit.inside < limits.evaluated or fit.inside < limits.share * evaluated:
        return
    with_answers = "with the targets of" if fit.answers else "on"
    yield Evidence(
        where=at(fit.site, step=fit.step, rank=fit.rank),
        saw=f"`{fit.name}` is fitted {with_answers} {fit.fitted:,} rows; they include {fit.inside:,} of "
        f"the {evaluated:,} rows that went through it and are only evaluated",
        wanted="a fit on training rows alone",
        severity=None if fit.answers else Severity.NOTE,
        cause=None if fit.answers else "data-leak-split",
        numbers={"fitted": fit.fitted, "inside": fit.inside, "outside": fit.outside},
    )


CHECK = Check(
    id="FL196",
    summary="a preprocessing step was fitted on rows that the model is evaluated on",
    causes=("data-leak-target", "data-leak-split"),
    likely="features were selected, encoded or scaled before the data was split",
    fix="split first; `fit` on the training part and `transform` both, or put all steps into a `Pipeline`",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
