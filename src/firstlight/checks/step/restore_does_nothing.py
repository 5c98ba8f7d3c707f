"""The weights kept for restoring are not a copy: they are the very weights in training.

## What it sees
`load_state_dict` is given tensors that share memory with the model, and steps were made since they were taken: they
changed with the model, and loading them changes nothing. The "best" weights are really the last ones. The same goes for
a state that is saved to a file some steps after it was taken.

## When it is fine
Copies (`copy.deepcopy(model.state_dict())`, `v.clone()`) are fine, and so is a state loaded before any further step.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.restored import Restored


class Limits(Settable):
    steps: int = 1
    """Fewest steps made since the state was taken."""
    own: float = 0.5
    """Smallest share of the given tensors that share memory with the model; less may be layers shared on purpose."""


def find(restored: Restored, limits: Limits) -> Found:
    if not restored.own or restored.steps < limits.steps or restored.own < limits.own * restored.matched:
        return
    yield Evidence(
        where=at(restored.site, module=restored.module, step=restored.step, rank=restored.rank),
        saw=f"{restored.own} of {restored.matched} tensors {restored.how} share memory with the model, "
        f"{restored.steps} steps after they were set aside",
        wanted="a copy of the weights as they were",
        numbers={"own": restored.own, "matched": restored.matched, "steps": restored.steps},
    )


CHECK = Check(
    id="FL312",
    summary="restoring the kept weights changes nothing, because they were never copied",
    causes=("train-checkpoint",),
    likely="`state_dict()` returns the model's own tensors, and each step changes them in place",
    fix="keep `copy.deepcopy(model.state_dict())`, or write it to a file",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
