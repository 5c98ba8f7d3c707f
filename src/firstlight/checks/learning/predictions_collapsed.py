"""After a short training the model predicts the same for everything.

## What it sees
Predictions on held-out data. For values: their spread relative to that of the targets, and how many different values
there are. For classes: how many are ever predicted.

## When it is fine
If the targets contain hardly any signal, the best predictions have a small spread; it is compared with what a linear
fit would reach. With heavy class imbalance the majority class is the best early prediction; that is a note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Predictions


class Limits(Settable):
    spread: float = 0.005
    """Share of the targets' spread below which the predictions are practically constant."""
    of_linear: float = 0.1
    """Share of the spread of a linear fit to the same inputs below which the predictions must be as well."""
    majority: float = 0.9
    """Share of one class above which predicting it alone is normal early in training."""
    examples: int = 32
    """Fewest examples; fewer show nothing."""


def find(made: Predictions, limits: Limits) -> Found:
    if made.examples < limits.examples or made.nonfinite:
        return  # non-finite predictions are reported by `value-nonfinite` (FL601)
    where = at(made.site, rank=made.rank)
    if made.classes is not None and made.predicted_classes is not None:
        if made.predicted_classes == 1 and made.classes > 1:
            often = made.majority_share or 0.0
            yield Evidence(
                where=where,
                saw=f"all {made.examples} predictions on `{made.split}` are one class; the targets have {made.classes}",
                wanted="more than one class among the predictions",
                cause="data-imbalance" if often > limits.majority else "arch-init",
                severity=Severity.NOTE if often > limits.majority else None,
                numbers={"classes": made.classes, "majority_share": often},
            )
        return
    if not made.target_std > 0:
        return
    ratio = made.prediction_std / made.target_std
    to_be_had = 1.0 if made.linear_correlation is None else made.linear_correlation
    if ratio < limits.spread and ratio < limits.of_linear * to_be_had:
        yield Evidence(
            where=where,
            saw=f"predictions on `{made.split}` have a spread of {made.prediction_std:.3g} ({made.unique} different "
            f"values), while the targets have {made.target_std:.3g}",
            wanted=f"at least {limits.spread:.1%} of the targets' spread",
            cause="data-scale",
            likely="the targets are on a scale the output cannot reach, or the inputs are lost on the way",
            do="standardize the targets, and print the spread over the batch layer by layer",
            numbers={"ratio": ratio, "unique": made.unique},
        )


CHECK = Check(
    id="FL533",
    summary="after a short training the model predicts the same for everything",
    causes=("arch-init", "data-scale", "data-imbalance"),
    likely="inputs do not reach the output, or one class drowns the others",
    fix="print the outputs for ten different examples, then the spread over the batch after each layer",
    severity=Severity.WARNING,
    confidence=0.75,
    symptom=True,
    find=find,
)
