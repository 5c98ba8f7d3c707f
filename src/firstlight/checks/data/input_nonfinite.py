"""The model is fed NaN or infinite values.

## What it sees
A training batch given to the model contains values that are not finite, and the model's output is not finite either.

## When it is fine
A model made for missing values (one that masks or replaces them) has finite outputs and is not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.facts import FirstBad


def find(bad: FirstBad, _limits: NoLimits) -> Found:
    if bad.kind != "input":
        return
    yield Evidence(
        where=at(bad.site, module=bad.module, step=bad.step, rank=bad.rank),
        saw=f"{bad.detail} are NaN or infinite, and so is the model's output",
        wanted="finite inputs, or a model that masks the missing values",
        numbers={"share": bad.share, "step": bad.step},
    )


CHECK = Check(
    id="FL101",
    summary="the model is fed NaN or infinite values",
    causes=("data-nonfinite",),
    likely="missing values in the source data that no preprocessing step drops or fills",
    fix="count them where the dataset is built (`torch.isfinite(x).all()`), then drop or fill those rows",
    severity=Severity.ERROR,
    confidence=0.97,
    exhaustive=True,
    find=find,
)
