"""The model is trained in eval mode.

## What it sees
At most backwards on one line, the whole model was in eval mode although it has dropout or batch norm: dropout does
nothing, and the batch statistics are never updated.

## When it is fine
Fine-tuning with all batch-norm layers frozen keeps the model itself in train mode and is not reported. Attacks that
take input gradients in eval mode are mixed with training in train mode.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Mode


class Limits(Settable):
    backwards: int = 5
    """Fewest backwards in eval mode; the share below must be reached even after a first epoch in train mode."""
    share: float = 0.5
    """Smallest share of the backwards on that line that are in eval mode."""


def find(mode: Mode, limits: Limits) -> Found:
    if mode.in_eval < limits.backwards or mode.in_eval < limits.share * mode.backwards:
        return
    yield Evidence(
        where=at(mode.site, rank=mode.rank),
        saw=f"`{', '.join(mode.models)}` was in eval mode at {mode.in_eval} of {mode.backwards} backwards",
        wanted="train mode while training",
        numbers={"in_eval": mode.in_eval, "backwards": mode.backwards},
    )


CHECK = Check(
    id="FL404",
    summary="the model trains in eval mode",
    causes=("train-mode",),
    likely="`model.eval()` is called for validation, and `model.train()` is not called after it",
    fix="call `model.train()` at the start of each training epoch",
    severity=Severity.ERROR,
    confidence=0.94,
    find=find,
)
