"""`requires_grad` was set on a module, where it does nothing.

## What it sees
A module has a plain attribute `requires_grad` that not all of its parameters agree with. Assigning it freezes or
unfreezes none of them; `requires_grad_()` does. A rehearsal covers every stage of the program; an ordinary run, only
its first steps.

## When it is fine
A module that defines such an attribute for its own bookkeeping, while all its parameters agree with it, is harmless.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.census import Census


def find(census: Census, _limits: NoLimits) -> Found:
    if not census.flagged:
        return
    yield Evidence(
        where=at(census.flag_site or census.site, module=census.flagged[0], step=census.step, rank=census.rank),
        saw=f"`requires_grad` is a plain attribute of the module(s) {', '.join(census.flagged)}; "
        f"{census.frozen.tensors} tensors of `{census.name}` are frozen",
        wanted="`module.requires_grad_(True)` or `(False)`, which reaches the parameters",
        numbers={"frozen": census.frozen.tensors},
    )


CHECK = Check(
    id="FL405",
    summary="`requires_grad` was set on a module, which neither freezes nor unfreezes anything",
    causes=("train-frozen",),
    likely="`module.requires_grad = …` was written instead of `module.requires_grad_(…)`",
    fix="call `module.requires_grad_(True)` (with the underscore), or loop over `module.parameters()`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
