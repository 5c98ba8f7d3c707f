"""A reward counts for steps that could not have led to it.

## What it sees
A copy of the program is given a different reward for the first step of an episode, and another one for the last step of
the episode before. The first may change the target or action weight of that one step only; it changes those of other
steps. If it counts less and less for the steps after it, returns are summed from the first step on; otherwise they run
from one episode into the one before.

## When it is fine
Returns that are averaged over steps on purpose, or standardized: what all examples have in common is left out.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import Rewarded


class Limits(Settable):
    others: float = 0.3
    """Smallest change for another step that counts, relative to the largest change; less may come from a learned
    baseline."""


def find(seen: Rewarded, limits: Limits) -> Found:
    told = seen.values or seen.actions
    if not told or not all(_count(one.at_start, limits) > 1 for one in told):
        return
    forward = all(one.at_start == tuple(sorted(one.at_start, key=_falling)) for one in told)
    last = told[-1]
    yield Evidence(
        where=at(last.site, step=last.step, rank=last.rank),
        saw=f"another reward at the first step of an episode changes what {_count(last.at_start, limits)} steps learn, "
        f"and one at the last step of the episode before changes what {_count(last.at_end, limits)} learn",
        wanted="a reward that counts only for its own step and earlier steps of the same episode",
        cause="rl-advantage" if forward else None,
        likely="returns are summed from the first step on" if forward else None,
        do="sum them from the last step to the first" if forward else None,
        numbers={"at_start": _count(last.at_start, limits), "at_end": _count(last.at_end, limits)},
    )


def _falling(change: float) -> float:
    return -abs(change)


def _count(changes: tuple[float, ...], limits: Limits) -> int:
    """Only different changes count: an example may be looked at in every epoch."""
    most = max(map(abs, changes), default=0.0)
    return len({f"{one:.4g}" for one in changes if abs(one) > limits.others * most})


CHECK = Check(
    id="FL240",
    summary="a reward counts for steps of another episode",
    causes=("rl-done", "rl-advantage"),
    likely="the sum of returns continues across the end of an episode",
    fix="multiply what is carried over by `(1 - done)`, or start from zero at every end",
    severity=Severity.ERROR,
    confidence=0.9,
    find=find,
)
