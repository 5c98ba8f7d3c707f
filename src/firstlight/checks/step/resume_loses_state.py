"""An optimizer was resumed without the state of all its parameters.

## What it sees
After `load_state_dict` some of the parameters the optimizer holds have no state, or one of another shape, while
others have theirs.

## When it is fine
SGD without momentum keeps no state. Parameters that are new in this run have none yet: allow it by name.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.live import Resumed
from firstlight.records.places import Where


def find(resumed: Resumed, _limits: NoLimits) -> Iterator[Evidence]:
    lost = resumed.without_state + resumed.mismatched
    if not lost or (lost >= resumed.parameters and not resumed.mismatched):
        return
    where = f", the first is `{resumed.first}`" if resumed.first else ""
    yield Evidence(
        where=Where(module=resumed.first, step=resumed.step, rank=resumed.rank),
        saw=f"of {resumed.parameters} parameters {resumed.without_state} came back without state and "
        f"{resumed.mismatched} "
        f"with one of another shape{where}",
        wanted="state for every parameter the optimizer holds",
        numbers={"parameters": resumed.parameters, "lost": lost},
    )


CHECK = Check(
    id="FL374",
    name="resume-loses-state",
    summary="an optimizer was resumed without the state of all its parameters",
    causes=("train-checkpoint",),
    likely="the checkpoint belongs to another version of the model, or its groups were built in another order",
    fix="build the parameter groups in the same order as in the run that was saved",
    severity=Severity.WARNING,
    confidence=0.9,
    needs=Resumed,
    find=find,
)
