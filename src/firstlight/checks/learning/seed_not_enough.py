"""Two trainings with the same seed differ.

## What it sees
Two trainings run over the same batches from the same seed of torch, NumPy and Python; the check looks for the first
step at which their losses differ.

## When it is fine
GPU kernels that add in varying order: their differences are far below the limit.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import Repeat


class Limits(Settable):
    difference: float = 1e-4
    """Largest relative difference of the losses; a different order of additions makes about a millionth."""


def find(repeat: Repeat, limits: Limits) -> Found:
    if repeat.first_difference is None or not repeat.difference > limits.difference:
        return
    yield Evidence(
        where=at(repeat.site, step=repeat.first_difference, rank=repeat.rank),
        saw=f"from step {repeat.first_difference} on, two trainings with one seed differ by {repeat.difference:.2g}",
        wanted=f"at most {limits.difference:g} of the loss",
        numbers={"step": repeat.first_difference, "difference": repeat.difference},
    )


CHECK = Check(
    id="FL537",
    summary="two trainings with the same seed differ",
    causes=("env-seed",),
    likely="a random generator that is seeded from the clock or the system",
    fix="seed every generator from one number; pass `generator=` where a function takes one",
    severity=Severity.WARNING,
    confidence=0.85,
    find=find,
)
