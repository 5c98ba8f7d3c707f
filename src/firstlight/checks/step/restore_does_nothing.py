"""The weights that were kept to be restored are the weights in training themselves.

## What it sees
`load_state_dict` is given tensors that are the model's own memory, and steps were made since they were taken: they
changed with the model, and loading them changes nothing. The "best" weights are the last ones. So are those that are
saved some steps after they were taken.

## When it is fine
Copies (`copy.deepcopy(model.state_dict())`, `v.clone()`), and states that are loaded before another step.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.restored import Restored


class Limits(Settable):
    steps: int = 1
    """Since the state was taken."""
    own: float = 0.5
    """Share of the given tensors that are the model's own; less may be layers shared on purpose."""


def find(restored: Restored, limits: Limits) -> Found:
    if not restored.own or restored.steps < limits.steps or restored.own < limits.own * restored.matched:
        return
    yield Evidence(
        where=at(restored.site, module=restored.module, step=restored.step, rank=restored.rank),
        saw=f"{restored.own} of {restored.matched} tensors {restored.how} are the model's own memory, "
        f"{restored.steps} steps after they were to be kept",
        wanted="a copy of the weights as they were",
        numbers={"own": restored.own, "matched": restored.matched, "steps": restored.steps},
    )


CHECK = Check(
    id="FL312",
    summary="restoring the kept weights changes nothing, because they were never copied",
    causes=("train-checkpoint",),
    likely="`state_dict()` gives the tensors of the model themselves, and each step changes them in place",
    fix="keep `copy.deepcopy(model.state_dict())`, or write it to a file",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
