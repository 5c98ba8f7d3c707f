"""An invariant that the author declared does not hold.

## What it sees
A declared invariant (a range or relation over a tensor inside the model, the output, the loss or a parameter) was false
on a real batch, or the tensor it refers to does not exist.

## When it is fine
Never by itself: it is the author's own rule. Its severity is the author's too.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.declared import InvariantTried


def find(tried: InvariantTried, _limits: NoLimits) -> Found:
    where = at(tried.site, module=f"{tried.name} on {tried.on}", step=tried.step, rank=tried.rank)
    if tried.missing:
        yield Evidence(
            where=where,
            saw=f"`{tried.name}` cannot be evaluated: {tried.missing}",
            wanted=f"a tensor to evaluate at `{tried.on}`",
            severity=Severity.WARNING,
            likely="a module was renamed, or is not called on this path",
            do="name a module by its path in `named_modules`, or one of `input`, `output`, `target`, `loss`",
        )
    elif tried.broken:
        known = {one.value for one in Severity}
        yield Evidence(
            where=where,
            saw=f"{tried.first} ({tried.broken} of {tried.looks} batches)",
            wanted=f"`{tried.check}` of `{tried.on}` on every batch",
            severity=Severity(tried.severity) if tried.severity in known else None,
            numbers={"broken": tried.broken, "looks": tried.looks},
        )


CHECK = Check(
    id="FL033",
    summary="a declared invariant does not hold",
    causes=("unknown",),
    likely="the named tensor is not what the author expects it to be",
    fix="print the named tensor for one batch, and trace it back to where it leaves its range",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
