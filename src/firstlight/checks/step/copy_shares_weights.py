"""The copy of a model is the model itself.

## What it sees
A second model, built like the one in training and called beside it, whose weights are the same memory: each step
changes both. A target network or a moving average that shares its weights is neither.

## When it is fine
Layers that are shared on purpose within one model. Weights that are swapped in for one evaluation are not met twice.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.copies import CopySeen


def find(copy: CopySeen, _limits: NoLimits) -> Found:
    if not copy.shared:
        return
    yield Evidence(
        where=at(copy.site, module=copy.name or copy.model, step=copy.step, rank=copy.rank),
        saw=f"{copy.shared} of {copy.tensors} weights of `{copy.name or copy.model}` are the memory of the "
        f"`{copy.model}` in training",
        wanted="weights of its own",
        numbers={"shared": copy.shared, "tensors": copy.tensors},
    )


CHECK = Check(
    id="FL342",
    summary="a copy of the model shares its weights, and changes with every step",
    causes=("train-ema", "rl-target"),
    likely="`copy.copy` copies the shell of a module only, and `copied.data = p.data` gives away the memory itself",
    fix="make it with `copy.deepcopy`, and write into it with `copied.data.copy_(p.data)`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
