"""Rewarded actions become less likely, or no more likely than others.

## What it sees
A copy of the program runs in which the environment gives one different reward. The targets for its value estimates rise
with that reward, as they should. But the weights with which the same loss makes actions more likely fall, or do not
change at all.

## When it is fine
Never, where one backward trains both the values and the policy. If they are trained one after the other, weights that
do not change are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import RewardAsked, Rewarded


class Limits(Settable):
    changed: int = 8
    """Most weights that another reward for the first step of an episode may change: it counts for no other step. Where
    more change a little, weights are standardized together, and that step is not among them."""


def find(seen: Rewarded, limits: Limits) -> Found:
    if not seen.values or len(seen.values) != len(seen.actions) or not all(_own(one) > 0 for one in seen.values):
        return
    last = seen.actions[-1]
    against = all(_own(one) < 0 and len(one.at_start) <= limits.changed for one in seen.actions)
    without = all(not one.at_start and not one.at_end and one.together for one in seen.actions)
    if not against and not without:
        return
    does = f"changes the weight of that action by {_own(last):+.3g}" if against else "changes the weight of no action"
    yield Evidence(
        where=at(last.site, step=last.step, rank=last.rank),
        saw=f"a reward that is 1 higher raises the target for its step by {_own(seen.values[-1]):.3g} and {does}",
        wanted="a larger weight for actions with a higher reward",
        likely=None if against else "the weights of the actions are not computed from the returns",
        do=None if against else "print the advantages beside the rewards",
        numbers={"values": _own(seen.values[-1]), "actions": _own(last)},
    )


def _own(asked: RewardAsked) -> float:
    return max(asked.at_start or asked.at_end, key=abs, default=0.0)


CHECK = Check(
    id="FL241",
    summary="rewarded actions become no more likely",
    causes=("rl-advantage",),
    likely="the advantage is the value minus the return, or the policy loss lacks its minus sign",
    fix="use the return minus the value as the advantage, and minimize minus its product with the log-probability",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
