"""Parameters get gradients that are exactly zero, step after step.

## What it sees
After real optimizer steps, on several batches, a parameter has a gradient and every value of it is zero. The first step
does not count: zero-initialized heads and adapters start that way.

## When it is fine
Experts that are not chosen and embeddings of rare tokens rest for a few batches; if few tensors are affected, this is a
note.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import GradientProfile


class Limits(Settable):
    share: float = 0.2
    """Smallest share of all tensors with a gradient; below it, this is a note: a resting branch is smaller."""


def find(profile: GradientProfile, limits: Limits) -> Found:
    zero, tensors = len(profile.zero_after_steps), max(1, profile.tensors)
    if not zero:
        return
    share = min(1.0, zero / tensors)
    yield Evidence(
        where=at(profile.site, module=profile.zero_after_steps[0], rank=profile.rank),
        saw=f"{zero} of {tensors} tensors of `{profile.model}` have a gradient of exactly zero after real steps: "
        + ", ".join(profile.zero_after_steps[:4]),
        wanted="gradients that are not zero",
        severity=None if share >= limits.share else Severity.NOTE,
        numbers={"zero": zero, "tensors": tensors},
    )


CHECK = Check(
    id="FL433",
    summary="parameters get gradients of exactly zero, step after step",
    causes=("arch-dead-units", "loss-detached"),
    likely="units that never switch on, or a loss that is flat at the model's outputs",
    fix="look at the outputs of the named layer: they are all zero, or all at the flat end of its activation",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
