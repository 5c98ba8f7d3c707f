"""Training resumes from its own checkpoint with part of it left out.

## What it sees
The program reads a file it wrote itself and keeps training. The file holds the state of an optimizer with the same
settings as the one in use, but only the model or only the optimizer is given its part, and the other starts afresh. Or
both are, and a schedule or a loss scaler whose state is in the file is built afterwards and starts afresh.

## When it is fine
A second stage with another learning rate or another optimizer starts afresh on purpose. So does training from a
checkpoint that another program wrote.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.restored import Resumption


def find(resumption: Resumption, _limits: NoLimits) -> Found:
    if not resumption.holds_optimizer:
        return
    if resumption.model_loaded and resumption.optimizer_loaded and resumption.begun_anew:
        yield _left_out(
            resumption, "model and optimizer are", f"the state of the {' and the '.join(resumption.begun_anew)}"
        )
    if resumption.model_loaded == resumption.optimizer_loaded:
        return
    state = f"the state of `{resumption.optimizer}`"
    kept, lost = ("the weights are", state) if resumption.model_loaded else (f"{state} is", "the weights")
    yield _left_out(resumption, kept, lost)


def _left_out(resumption: Resumption, kept: str, lost: str) -> Evidence:
    return Evidence(
        where=at(resumption.site, step=resumption.step, rank=resumption.rank),
        saw=f"of the checkpoint, {kept} loaded and {lost} left out, and training continues",
        wanted="everything as it was when the checkpoint was written",
        numbers={"steps": resumption.steps},
    )


CHECK = Check(
    id="FL314",
    summary="training resumes from a checkpoint with part of its state left out",
    causes=("train-checkpoint",),
    likely="`load_state_dict` is called for some of the model, optimizer, schedule and scaler, but not for all",
    fix="load both from the checkpoint, and the scheduler too, before the first step",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
