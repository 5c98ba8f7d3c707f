"""What should be a copy of the model shares its weights.

## What it sees
A second model, built like the one in training and called alongside it, uses the same memory for its weights, so each
step changes both. A target network or moving average that shares its weights is neither.

## When it is fine
Layers may be shared on purpose within one model. Two models may share a part of them, as heads for two tasks do: what
the second does not share is then of its own from the beginning, so it is no copy. Weights that are swapped in for a
single evaluation are not reported, because sharing must be seen twice.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.copies import CopySeen


def find(copy: CopySeen, _limits: NoLimits) -> Found:
    if not copy.shared or (copy.shared < copy.tensors and not copy.began_equal):
        return
    yield Evidence(
        where=at(copy.site, module=copy.name or copy.model, step=copy.step, rank=copy.rank),
        saw=f"{copy.shared} of {copy.tensors} weights of `{copy.name or copy.model}` share memory with the "
        f"`{copy.model}` in training",
        wanted="weights in memory of their own",
        numbers={"shared": copy.shared, "tensors": copy.tensors},
    )


CHECK = Check(
    id="FL342",
    summary="a copy of the model shares its weights, and changes with every step",
    causes=("train-ema", "rl-target"),
    likely="`copy.copy` copies only the shell of a module, and `copied.data = p.data` shares the memory itself",
    fix="create the copy with `copy.deepcopy`, and update it with `copied.data.copy_(p.data)`",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
