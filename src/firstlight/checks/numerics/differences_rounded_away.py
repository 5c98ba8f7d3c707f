"""Values that differ become nearly the same because a call rounds them.

## What it sees
What the network is fed, and what it computes from constants alone, such as the angles of positions, are computed once
more in double precision. If the result is very different, a cast or a call in half precision has rounded the
differences away, and what is made of them is noise: seconds since 1970 in float32 are 128 s apart, and positions above
256 are no longer all different in bfloat16.

## When it is fine
Rounding that is small compared with the differences is not reported; that of float32 is about a millionth, that of
eight bits a few hundredths of values that are about as large as their differences.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.flows import Levelling

ASKED = {
    "rounding": ("the inputs of the network are", "take the differences first, and cast them afterwards"),
    "constants": (
        "what the network computes from constants, such as the angles of positions, is",
        "compute it in float32: under `torch.autocast(device, enabled=False)`, or once, when the model is made",
    ),
}


class Limits(Settable):
    looks: int = 2
    """Fewest batches looked at; a single one may be unusual."""
    rounded: float = 0.3
    """Smallest error over the standard deviation; float32 leaves a millionth, eight bits a few hundredths."""


def find(levelling: Levelling, limits: Limits) -> Found:
    if levelling.of not in ASKED or levelling.looks < limits.looks or not levelling.rounded >= limits.rounded:
        return
    what, do = ASKED[levelling.of]
    yield Evidence(
        where=at(levelling.call.site, step=levelling.step, rank=levelling.rank),
        saw=f"after `{levelling.call.operation}` {what} off by {levelling.rounded:.2f} of the standard deviation, "
        "compared with double precision",
        wanted="values that keep their differences",
        do=do,
        numbers={"rounded": levelling.rounded},
    )


CHECK = Check(
    id="FL606",
    summary="values that differ become nearly the same because a call rounds them",
    causes=("num-precision",),
    likely="large numbers are cast before their differences are taken, or autocast runs this call in half precision",
    fix="compute in float32 or float64 until the differences have been taken",
    severity=Severity.WARNING,
    confidence=0.9,
    find=find,
    since="0.2",
)
