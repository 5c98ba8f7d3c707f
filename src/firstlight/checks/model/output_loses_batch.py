"""The model's output does not have one row for each example.

## What it sees
The first axis of the output does not have the length of the batch, although the targets have one row per example.

## When it is fine
Detection, contrastive and graph models may output another number of rows. Their targets do not pair with examples one
to one, and then nothing is reported.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import Output


def find(output: Output, _limits: NoLimits) -> Found:
    target, rows = output.target, output.examples
    if rows is None or target is None or not target.shape or target.shape[0] != rows or not output.outputs:
        return
    first = output.outputs[0].shape
    if first and first[0] in [math.prod(target.shape[:axes]) for axes in range(1, len(target.shape) + 1)]:
        return  # a row for each example, or for each of its places
    moved = rows in first
    yield Evidence(
        where=at(output.site, rank=output.rank),
        saw=f"{rows} examples go in and the output has shape {first}",
        wanted=f"{rows} rows, as the target of shape {target.shape} has",
        cause="arch-batch-mixing" if moved else "data-schema",
        likely="the batch axis was moved: `batch_first` was forgotten, or there is one `transpose` too many"
        if moved
        else None,
        numbers={"examples": rows, "rows": first[0] if first else 0},
    )


CHECK = Check(
    id="FL430",
    summary="the output does not have one row for each example",
    causes=("arch-batch-mixing", "data-schema"),
    likely="a reduction over the batch, or a reshape that merges the batch with another axis",
    fix="print the shapes through `forward`: the batch axis must come out where it went in",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
