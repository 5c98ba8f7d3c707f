"""The Hugging Face Trainer removes columns that the model is written to use.

## What it sees
The user's `forward` takes additional inputs through `**…` and uses them. The Hugging Face Trainer keeps only the
columns that the signature names, and removed numeric ones. The model never gets them.

## When it is fine
A model that takes additional inputs but never looks at them (`num_items_in_batch` arrives this way) is not reported.
Indices and lengths that only the dataset needs are removed too: name the columns that the model uses in the signature,
and the others no longer matter.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.program import ColumnsDropped


def find(dropped: ColumnsDropped, _limits: NoLimits) -> Found:
    if not dropped.columns:
        return
    columns = ", ".join(f"`{name}`" for name in dropped.columns)
    yield Evidence(
        where=at(dropped.site, module=dropped.model, rank=dropped.rank),
        saw=f"the Trainer removes {columns}; `{dropped.model}.forward` takes such inputs only through "
        f"`**{dropped.takes}`",
        wanted="columns that reach the model",
        numbers={"columns": len(dropped.columns)},
    )


CHECK = Check(
    id="FL105",
    summary="columns are removed before they reach the model",
    causes=("data-schema", "arch-unused"),
    likely="`remove_unused_columns=True`, the default, looks only at the names in the signature of `forward`",
    fix="name the columns in `forward`, or set `remove_unused_columns=False` in the TrainingArguments",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
