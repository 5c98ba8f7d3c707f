"""Updates of a running sum or average in half precision are lost to rounding.

## What it sees
In a rehearsal, float16 or bfloat16 tensors that a line of the program updates in place at step after step: an average
of the weights, a sum of losses, weights updated by hand. The same updates are applied in float32 alongside. If the
tensors cover less than half of the distance they should have moved, the updates are smaller than the gap between two
adjacent numbers of the type.

## When it is fine
Sums whose terms are about as large as the sum itself, and averages that move a tenth of the way at each step, are
accurate enough even in half precision. Tensors kept in float32 are not examined.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.rounded import RoundedAway


class Limits(Settable):
    updates: int = 5
    """Fewest updates of a tensor before it is judged; fewer show little."""
    missed: float = 0.5
    """Smallest share of the intended movement that must be missing; from half on, most of what was added is lost."""
    moved: float = 1e-4
    """How far the updates should have moved the tensor, as a share of its size; below this there is nothing to lose
    yet."""
    nearest: float = 0.1
    """An average that comes nearer than this to what it averages, as a share of its size, is not reported: little is
    lost there."""


def find(lost: RoundedAway, limits: Limits) -> Found:
    if lost.updates < limits.updates or not lost.moved >= limits.moved or not lost.missed >= limits.missed:
        return
    if lost.nearest is not None and not lost.nearest >= limits.nearest:
        return
    ends = "" if lost.nearest is None else f"; they get no nearer than {lost.nearest:.0%} to what they average"
    yield Evidence(
        where=at(lost.site, step=lost.step, rank=lost.rank),
        saw=f"{lost.updates} updates of {lost.tensors} {lost.dtype} tensors by `{lost.operation}` should have moved "
        f"them by {lost.moved:.2g} of their size; {min(1.0, lost.missed):.0%} of that was lost to "
        f"rounding{ends}",
        wanted="updates larger than the gap between two adjacent numbers of the type they are kept in",
        numbers={"missed": lost.missed, "updates": lost.updates, "moved": lost.moved},
    )


CHECK = Check(
    id="FL605",
    summary="updates of a running sum or average in half precision are lost to rounding",
    causes=("num-precision", "train-ema"),
    likely="a copy, sum or average was created in the type the model computes in",
    fix="keep sums and averages in float32, and cast the result where it is used",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
    since="0.2",
)
