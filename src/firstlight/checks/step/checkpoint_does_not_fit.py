"""A checkpoint is loaded into a model, and hardly any of its names match.

## What it sees
After `load_state_dict(..., strict=False)`, the check counts how many of the model's tensors were found in the state
under their own name, and how many names in the state the model does not have. With `strict=False` nothing is raised,
and the model keeps the values it was built with.

## When it is fine
A state that fits part of the model (a backbone under a new head), a part taken out of a larger model, and a state with
nothing left over are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.restored import Restored


class Limits(Settable):
    matched: float = 0.5
    """Share of the model's tensors that must be loaded; below it, most of them keep the values they were built with."""
    unexpected: float = 0.5
    """Share of the tensors in the state that must be left over before the check speaks."""


def find(restored: Restored, limits: Limits) -> Found:
    given = restored.matched + restored.unexpected
    if restored.matched >= limits.matched * restored.held or restored.unexpected < max(1, limits.unexpected * given):
        return
    yield Evidence(
        where=at(restored.site, module=restored.module, step=restored.step, rank=restored.rank),
        saw=f"{restored.matched} of {restored.held} tensors of `{restored.module}` were loaded, {restored.unexpected} "
        f"were left over: given `{restored.first_unexpected}`, expected `{restored.first_missing}`",
        wanted="a state whose names match those of the model",
        numbers={"matched": restored.matched, "held": restored.held, "unexpected": restored.unexpected},
    )


CHECK = Check(
    id="FL313",
    summary="loading a checkpoint leaves the model as it was built",
    causes=("train-checkpoint",),
    likely="the names have a prefix (`module.`, `_orig_mod.`, `model.`) or belong to another model, and `strict=False` "
    "hides the mismatch",
    fix="strip the prefix from the names, and load with `strict=True` or inspect what `load_state_dict` returns",
    severity=Severity.ERROR,
    confidence=0.95,
    find=find,
)
