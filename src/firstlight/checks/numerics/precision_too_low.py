"""The precision is too low for the size of the training steps.

## What it sees
Weights in half precision that a step leaves mostly unchanged, because it is smaller than the gap to the next
representable number; or scores in float16 without a `GradScaler`, whose gradients underflow. A copy of the program in
full precision decides: this is reported as an error only if that copy learns while the program hardly does.

## When it is fine
Mixed precision keeps the weights in full precision, and bfloat16 needs no scaler: neither is reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Precision


class Limits(Settable):
    still: float = 0.5
    """Smallest share of a tensor's elements that a step must leave unchanged before the precision is suspected."""
    nearly_all: float = 0.75
    """Share of unchanged elements from which on a smaller advantage of the copy is enough."""


def find(precision: Precision, limits: Limits) -> Found:
    stuck = precision.weights != "float32" and precision.still >= limits.still
    bare = precision.scores == "float16" and not precision.scaled
    if not (stuck or bare):
        return
    saw = (
        f"a step leaves {precision.still:.0%} of the {precision.weights} weights exactly as they were"
        if stuck
        else "scores are computed in float16 without a `GradScaler`"
    )
    yield Evidence(
        where=at(precision.site, rank=precision.rank),
        saw=saw,
        wanted="weights in float32" if stuck else "a scaled loss, or bfloat16",
        confidence=0.85 if stuck and precision.still >= limits.nearly_all else None,
        numbers={"still": precision.still, "weights": precision.weights, "scores": precision.scores},
    )


CHECK = Check(
    id="FL602",
    summary="the training steps are lost to rounding",
    causes=("num-precision",),
    likely="the model itself was cast to half precision, or float16 is used without a GradScaler",
    fix="keep the weights in float32 and compute under `torch.autocast`; scale the loss if that computes in float16",
    severity=Severity.NOTE,
    proven=Severity.ERROR,
    confidence=0.5,
    find=find,
)
