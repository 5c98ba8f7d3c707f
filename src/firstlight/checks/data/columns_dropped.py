"""The Trainer takes away columns that the model means to use.

## What it sees
The model's `forward`, written by the user, takes further inputs through `**…` and uses them; the Hugging Face Trainer
keeps only the columns that the signature names, and dropped numeric ones. The model never gets them.

## When it is fine
A model that takes further inputs and never looks at them (`num_items_in_batch` comes so) is not reported. Indices and
lengths that only the data set needs are dropped too: name what the model uses in the signature, and the rest no longer
matters.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.program import ColumnsDropped


def find(dropped: ColumnsDropped, _limits: NoLimits) -> Found:
    if not dropped.columns:
        return
    columns = ", ".join(f"`{name}`" for name in dropped.columns)
    yield Evidence(
        where=at(dropped.site, module=dropped.model, rank=dropped.rank),
        saw=f"the Trainer drops {columns}; `{dropped.model}.forward` takes such inputs only through "
        f"`**{dropped.takes}`",
        wanted="columns that arrive at the model",
        numbers={"columns": len(dropped.columns)},
    )


CHECK = Check(
    id="FL105",
    summary="columns are taken away before they reach the model",
    causes=("data-schema", "arch-unused"),
    likely="`remove_unused_columns=True`, the default, looks at the names in forward's signature alone",
    fix="name the columns in `forward`, or set `remove_unused_columns=False` in the TrainingArguments",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
