"""Training goes on from its own checkpoint with a part of it left out.

## What it sees
The program reads a file it wrote itself and trains on. The file has the state of an optimizer with the settings of the
one in use; either the model or the optimizer was given its part of it, and the other begins anew.

## When it is fine
A second stage with another learning rate or another optimizer begins anew on purpose. So does training from a
checkpoint that somebody else wrote.
"""

from collections.abc import Iterator

from firstlight.checks.declare import Check, NoLimits
from firstlight.records.finding import Evidence, Severity
from firstlight.records.places import at
from firstlight.records.restored import Resumption


def find(resumption: Resumption, _limits: NoLimits) -> Iterator[Evidence]:
    if not resumption.holds_optimizer or resumption.model_loaded == resumption.optimizer_loaded:
        return
    state = f"the state of `{resumption.optimizer}`"
    kept, lost = ("the weights are", state) if resumption.model_loaded else (f"{state} is", "the weights")
    yield Evidence(
        where=at(resumption.site, step=resumption.step, rank=resumption.rank),
        saw=f"of the checkpoint, {kept} loaded and {lost} left out, and training goes on",
        wanted="model and optimizer as they were when the checkpoint was written",
        numbers={"steps": resumption.steps},
    )


CHECK = Check(
    id="FL314",
    name="resume-forgets",
    summary="training resumes with a part of its state begun anew",
    causes=("train-checkpoint",),
    likely="`load_state_dict` is called for one of model and optimizer, and not for the other",
    fix="load both from the checkpoint, and the scheduler too, before the first step",
    severity=Severity.WARNING,
    confidence=0.9,
    needs=Resumption,
    find=find,
)
