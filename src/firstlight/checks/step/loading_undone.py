"""The weights loaded into a model are overwritten before the model is used.

## What it sees
A state is loaded with `load_state_dict`, or a whole model with `torch.load`. When the model is next called, before any
further step, most of its parameters hold entirely different values.

## When it is fine
A new head on loaded weights changes only a few parameters; rounding, pruning and moving to another device or precision
leave the weights essentially the same. None of these is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.restored import Reused


class Limits(Settable):
    changed: float = 0.6
    """Smallest share of the loaded parameters that have changed; in a small model, a new head is half of them."""


def find(reused: Reused, limits: Limits) -> Found:
    if not reused.tensors or not reused.changed >= limits.changed * reused.tensors:
        return
    yield Evidence(
        where=at(reused.site, module=reused.module, step=reused.step, rank=reused.rank),
        saw=f"{reused.changed} of {reused.tensors} parameters that were loaded into `{reused.module}`, such as "
        f"`{reused.first_changed}`, hold other values when it is called at {reused.called}",
        wanted="the loaded values, until the next optimizer step",
        numbers={"changed": reused.changed, "tensors": reused.tensors},
    )


CHECK = Check(
    id="FL346",
    summary="the weights loaded into a model are overwritten before the model is used",
    causes=("train-checkpoint",),
    likely="the layers are initialised after the state was loaded into them",
    fix="load the state last: after the model is built, initialised and modified",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
