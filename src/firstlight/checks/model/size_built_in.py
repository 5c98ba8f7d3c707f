"""The model works for only one batch size.

## What it sees
The model is called on the same batch with fewer examples: as many as the last batch of each split has, and six and
seven, which are unlikely to match other sizes by chance. The call fails, or its output does not have one row for each
example.

## When it is fine
A model that is meant for one size, in training and in use; `drop_last=True` keeps other sizes away. If no loader will
produce the size that fails, this is a warning instead of an error.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import SizesTried
from firstlight.records.declared.contact import SizeTried


def find(sizes: SizesTried, _limits: NoLimits) -> Found:
    told = [(size, _trouble(size, sizes)) for size in sizes.tried]
    strange = [pair for pair in told if not pair[0].comes]
    failing = [pair for pair in told if pair[0].comes and pair[1]]
    if not failing and all(trouble for _, trouble in strange):
        failing = strange
    for size, trouble in failing[:1]:
        named = f", as {size.comes} has" if size.comes else ""
        yield Evidence(
            where=at(size.site or sizes.site, module=size.module, rank=sizes.rank),
            saw=f"with {size.examples} examples{named}, {trouble}",
            wanted=f"one row per example, as with {sizes.usual} examples",
            severity=Severity.ERROR if size.comes else Severity.WARNING,
            numbers={"examples": size.examples, "usual": sizes.usual},
        )


def _trouble(size: SizeTried, sizes: SizesTried) -> str:
    if size.error:
        return f"the call raises {size.error}"
    if sizes.shape is None or size.shape is None or sizes.shape[:1] != (sizes.usual,):
        return ""
    fits = len(size.shape) == len(sizes.shape) and size.shape[0] == size.examples
    return "" if fits else f"the output has shape {size.shape}"


CHECK = Check(
    id="FL447",
    summary="the model works for only one batch size",
    causes=("arch-batch-mixing",),
    likely="the batch size is hard-coded in a `view`, a `reshape` or a hidden state, or `squeeze` removes the batch "
    "axis",
    fix="take the size from the input, `x.shape[0]`, and name the axis that `squeeze` may remove",
    severity=Severity.ERROR,
    confidence=0.92,
    find=find,
)
