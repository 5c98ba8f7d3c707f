"""An optimizer was resumed without the state that belongs to its parameters.

## What it sees
After `load_state_dict`, some of the optimizer's parameters have no state, or state of another shape, while others have
theirs. Or, at the first step afterwards, the momentum is far larger than the gradients can explain: it belongs to other
weights or another run.

## When it is fine
SGD without momentum keeps no state. Parameters that are new in this run have none yet: allow the check by name.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, Where
from firstlight.records.live import Resumed


class Limits(Settable):
    momentum: float = 100.0
    """Largest ratio of the momentum to what the gradients account for; one batch differs from many by much less."""


def find(resumed: Resumed, limits: Limits) -> Found:
    if resumed.momentum > limits.momentum:
        yield Evidence(
            where=Where(step=resumed.step, rank=resumed.rank),
            saw=f"at step {resumed.step}, the first after its state was loaded, the momentum of `{resumed.name}` is "
            f"{resumed.momentum:.3g} times as large as the gradients account for",
            wanted="momentum built from gradients like these",
            severity=Severity.ERROR,
            likely="the state was saved by another run, or belongs to other parameters than it was loaded into",
            do="load the optimizer state from the checkpoint of these weights, or start with a fresh optimizer",
            numbers={"momentum": resumed.momentum},
        )
        return
    lost = resumed.without_state + resumed.mismatched
    if not lost or (lost >= resumed.parameters and not resumed.mismatched):
        return
    where = f"; the first is `{resumed.first}`" if resumed.first else ""
    yield Evidence(
        where=Where(module=resumed.first, step=resumed.step, rank=resumed.rank),
        saw=f"of {resumed.parameters} parameters {resumed.without_state} came back without state and "
        f"{resumed.mismatched} with state of another shape{where}",
        wanted="state for every parameter the optimizer holds",
        numbers={"parameters": resumed.parameters, "lost": lost},
    )


CHECK = Check(
    id="FL374",
    summary="an optimizer was resumed without the state that belongs to its parameters",
    causes=("train-checkpoint",),
    likely="the checkpoint belongs to another version of the model, or its groups were built in another order",
    fix="build the parameter groups in the same order as in the run that was saved",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
