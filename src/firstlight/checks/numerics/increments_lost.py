"""What is added to a running sum or average in half precision is lost in rounding.

## What it sees
In a rehearsal, tensors of float16 or bfloat16 that a line of the program updates in place, step after step: an average
of the weights, a sum of losses, weights that are moved by hand. The same updates are made in float32 beside them.
Where the tensors miss most of the way that they should have gone, an update is smaller than the distance to the next
number.

## When it is fine
Sums whose parts are about as large as they are, and averages that go a tenth of the way with each step, come near
enough in half precision too. What is kept in float32 is not asked.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.rounded import RoundedAway


class Limits(Settable):
    updates: int = 5
    """Of a tensor; fewer show little."""
    missed: float = 0.5
    """Share of the way: from here on most of what was added is not there."""
    moved: float = 1e-4
    """How far the updates should have gone, as a share of the tensor's size: less is nothing to miss yet."""
    nearest: float = 0.1
    """Share of its size within which an average may be of what it averages: what is lost there is little."""


def find(lost: RoundedAway, limits: Limits) -> Found:
    if lost.updates < limits.updates or not lost.moved >= limits.moved or not lost.missed >= limits.missed:
        return
    if lost.nearest is not None and not lost.nearest >= limits.nearest:
        return
    ends = "" if lost.nearest is None else f"; they come no nearer to what they average than {lost.nearest:.0%}"
    yield Evidence(
        where=at(lost.site, step=lost.step, rank=lost.rank),
        saw=f"{lost.updates} updates of {lost.tensors} {lost.dtype} tensors by `{lost.operation}` should have moved "
        f"them by {lost.moved:.2g} of their size; they miss {min(1.0, lost.missed):.0%} of that, lost in "
        f"rounding{ends}",
        wanted="updates larger than the distance between two numbers of the type that they are kept in",
        numbers={"missed": lost.missed, "updates": lost.updates, "moved": lost.moved},
    )


CHECK = Check(
    id="FL605",
    summary="what is added to a running sum or average in half precision is lost in rounding",
    causes=("num-precision", "train-ema"),
    likely="a copy, a sum or an average was made in the type that the model computes in",
    fix="keep sums and averages in float32, and cast the result where it is used",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
    since="0.2",
)
