"""A hand-written backward ignores the gradient it is given.

## What it sees
A `torch.autograd.Function` of the user's own is asked for its gradient twice, the second time with twice the incoming
gradient. The result does not double: whatever factor the loss puts on this term is lost in the backward pass.

## When it is fine
Never: even a straight-through or reversing backward is linear in its incoming gradient.
"""

import math

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.timelines import CustomGradient


class Limits(Settable):
    expected: float = 2.0
    """Twice the gradient in must give twice the gradient out."""
    tolerance: float = 0.02
    """Largest deviation from that factor; rounding in half precision stays well below it."""


def find(gradient: CustomGradient, limits: Limits) -> Found:
    if abs(gradient.ratio - limits.expected) <= limits.tolerance:
        return
    times = f"{gradient.ratio:.3g} times" if math.isfinite(gradient.ratio) else "a non-finite multiple of"
    yield Evidence(
        where=at(gradient.site, module=gradient.name, step=gradient.step, rank=gradient.rank),
        saw=f"given twice the gradient, `{gradient.name}.backward` returns {times} the result",
        wanted="2 times the result",
        numbers={"ratio": gradient.ratio},
    )


CHECK = Check(
    id="FL207",
    summary="a hand-written backward ignores the gradient it is given",
    causes=("loss-gradient", "loss-scale"),
    likely="`backward` returns the local gradient without multiplying it by `grad_output`",
    fix="multiply what `backward` returns by `grad_output`; `torch.autograd.gradcheck` confirms it",
    severity=Severity.ERROR,
    confidence=0.97,
    find=find,
)
