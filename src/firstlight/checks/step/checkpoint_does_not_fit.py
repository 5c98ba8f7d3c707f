"""A checkpoint is loaded into a model, and hardly a name in it fits.

## What it sees
After `load_state_dict(..., strict=False)`: of all tensors of the model, how many were given under their name, and how
many were given under names the model does not have. Without `strict` nothing is said, and the model keeps what it was
built with.

## When it is fine
A part that fits (a backbone under a new head), a part taken out of a larger model, and states with nothing left over
are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.restored import Restored


class Limits(Settable):
    matched: float = 0.5
    """Of the model's tensors: below it, most keep what they were built with."""
    unexpected: float = 0.5
    """Of the given tensors, from here on most were left over."""


def find(restored: Restored, limits: Limits) -> Found:
    given = restored.matched + restored.unexpected
    if restored.matched >= limits.matched * restored.held or restored.unexpected < max(1, limits.unexpected * given):
        return
    yield Evidence(
        where=at(restored.site, module=restored.module, step=restored.step, rank=restored.rank),
        saw=f"{restored.matched} of {restored.held} tensors of `{restored.module}` were loaded, {restored.unexpected} "
        f"were left over: given `{restored.first_unexpected}`, expected `{restored.first_missing}`",
        wanted="a state whose names are those of the model",
        numbers={"matched": restored.matched, "held": restored.held, "unexpected": restored.unexpected},
    )


CHECK = Check(
    id="FL313",
    summary="loading a checkpoint leaves the model as it was built",
    causes=("train-checkpoint",),
    likely="the names have a prefix (`module.`, `_orig_mod.`, `model.`) or belong to another model, and `strict=False` "
    "keeps quiet about it",
    fix="strip the prefix from the names, and load with `strict=True`, or look at what `load_state_dict` returns",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
