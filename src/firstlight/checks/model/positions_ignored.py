"""A sequence model cannot tell the order of its inputs.

## What it sees
In a task that predicts the next token, all earlier tokens are put in reverse order, and the output at the last position
stays the same.

## When it is fine
Models that use a bag of words on purpose.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.declared import PositionTried


class Limits(Settable):
    change: float = 1e-4
    """Smallest change of the output relative to its spread; rounding stays below, and any position encoding is far
    above."""


def find(tried: PositionTried, limits: Limits) -> Found:
    if not tried.predicts_next or not tried.change < limits.change:
        return
    yield Evidence(
        where=at(tried.site, rank=tried.rank),
        saw=f"with the {tried.length - 1} tokens before it reversed, the last output changes by {tried.change:.1e}",
        wanted=f"a change of at least {limits.change:g} of the outputs' spread",
        numbers={"change": tried.change, "length": tried.length},
    )


CHECK = Check(
    id="FL442",
    summary="the model cannot tell the order of its inputs",
    causes=("arch-position",),
    likely="attention without a position encoding, or with one that is never added",
    fix="add position embeddings to the token embeddings before the first block",
    severity=Severity.WARNING,
    confidence=0.88,
    find=find,
)
