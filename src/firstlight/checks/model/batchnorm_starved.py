"""A batch norm has too few values to normalize over.

## What it sees
The number of values per channel (examples times positions in the image or sequence) in the smallest of the batches
read.

## When it is fine
A small last batch now and then does little harm; `drop_last=True` avoids it. Instance and group norms do not depend on
the batch.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Normalisation


class Limits(Settable):
    values: int = 8
    """Fewest values per channel; the mean of fewer is mostly noise."""


def find(norm: Normalisation, limits: Limits) -> Found:
    per_example = norm.values / max(1, norm.examples)
    least = int(per_example * norm.smallest_batch)
    if least >= limits.values:
        return
    usual = norm.values >= limits.values
    yield Evidence(
        where=at(norm.site, module=norm.name, rank=norm.rank),
        saw=f"`{norm.name}` normalizes over {least} values per channel"
        + (
            f" in the smallest batch, which has {norm.smallest_batch} examples"
            if usual
            else f", in batches of {norm.examples} examples"
        ),
        wanted=f"at least {limits.values} values",
        severity=Severity.NOTE if usual and least > 1 else None,
        numbers={"values": least, "examples": norm.smallest_batch},
    )


CHECK = Check(
    id="FL439",
    summary="a batch norm has too few values to normalize over",
    causes=("arch-norm",),
    likely="the batches have one or two examples, or the last one does",
    fix="use larger batches, `drop_last=True`, or a group or layer norm",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
