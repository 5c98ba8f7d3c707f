"""The numbers have too few bits for the steps that training makes.

## What it sees
Weights held in half precision of which a step leaves most exactly as they were, because it is smaller than the
distance to the next number; or scores in float16 without a `GradScaler`, whose gradients vanish below the smallest
number. A copy of the program in full precision decides: it is reported when that copy learns and the program hardly
does.

## When it is fine
Mixed precision keeps the weights in full precision, and bfloat16 needs no scaler: neither is suspected.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.facts import Precision


class Limits(Settable):
    still: float = 0.5
    """Share of a tensor's elements that a step leaves as they were."""
    nearly_all: float = 0.75
    """From here on a smaller advantage of the copy will do."""


def find(precision: Precision, limits: Limits) -> Found:
    stuck = precision.weights != "float32" and precision.still >= limits.still
    bare = precision.scores == "float16" and not precision.scaled
    if not (stuck or bare):
        return
    saw = (
        f"a step leaves {precision.still:.0%} of the {precision.weights} weights exactly as they were"
        if stuck
        else "scores in float16 and no `GradScaler`"
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
    summary="the steps of training are lost in rounding",
    causes=("num-precision",),
    likely="the model itself was cast to half precision, or float16 is used without a GradScaler",
    fix="keep the weights in float32 and compute under `torch.autocast`; scale the loss if it is float16",
    severity=Severity.NOTE,
    proven=Severity.ERROR,
    confidence=0.5,
    find=find,
)
