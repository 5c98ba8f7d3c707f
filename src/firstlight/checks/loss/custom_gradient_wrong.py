"""A hand-written backward does not match its forward.

## What it sees
The gradient of a user's `autograd.Function` is compared with central differences, in double precision, at a few
coordinates and with three step sizes; the step size that agrees best counts.

## When it is fine
Straight-through estimators and gradient reversal are wrong on purpose. A function with a kink at that point is not
judged.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import GradientTried


class Limits(Settable):
    relative_error: float = 1e-2
    """Largest relative error; in double precision a correct gradient agrees to a millionth."""


def find(tried: GradientTried, limits: Limits) -> Found:
    if tried.kinks or not math.isfinite(tried.relative_error) or tried.relative_error <= limits.relative_error:
        return
    on_purpose = tried.numeric == 0
    yield Evidence(
        where=at(tried.site, rank=tried.rank),
        saw=f"the backward of `{tried.name}` gives {tried.analytic:.4g} where central differences give "
        f"{tried.numeric:.4g}: {tried.relative_error:.1%} apart",
        wanted=f"agreement within {limits.relative_error:.0%}",
        severity=Severity.NOTE if on_purpose else None,
        numbers={"relative_error": tried.relative_error, "analytic": tried.analytic, "numeric": tried.numeric},
    )


CHECK = Check(
    id="FL234",
    summary="a hand-written backward does not match its forward",
    causes=("loss-gradient",),
    likely="a factor, a sign or the incoming gradient is missing in `backward`",
    fix="derive it again, or write the forward with torch's own operations; `torch.autograd.gradcheck` confirms it",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
)
