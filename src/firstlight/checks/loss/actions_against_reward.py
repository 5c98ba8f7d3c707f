"""Actions that were rewarded become less likely, or no likelier than others.

## What it sees
A copy of the program is given another reward, once. The answers for its estimate of values rise with the reward, as
they should; the weights by which the same loss makes actions likelier fall, or do not change at all.

## When it is fine
Never, where one backward trains both. Programs that train them one after the other are not judged by what stays the
same.
"""

from firstlight.checks.declare import Check, Evidence, Found, NoLimits, Severity, at
from firstlight.records.dealings import RewardAsked, Rewarded


def find(seen: Rewarded, _limits: NoLimits) -> Found:
    if not seen.values or len(seen.values) != len(seen.actions) or not all(_own(one) > 0 for one in seen.values):
        return
    last = seen.actions[-1]
    against = all(_own(one) < 0 for one in seen.actions)
    without = all(not one.at_start and not one.at_end and one.together for one in seen.actions)
    if not against and not without:
        return
    does = f"changes the pull towards that action by {_own(last):+.3g}" if against else "changes no pull on an action"
    yield Evidence(
        where=at(last.site, step=last.step, rank=last.rank),
        saw=f"a reward that is 1 higher raises the answer for its step by {_own(seen.values[-1]):.3g} and {does}",
        wanted="a stronger pull towards actions with a higher reward",
        likely=None if against else "the weights of the actions are made from other values than returns",
        do=None if against else "print the advantages beside the rewards",
        numbers={"values": _own(seen.values[-1]), "actions": _own(last)},
    )


def _own(asked: RewardAsked) -> float:
    return max(asked.at_start or asked.at_end, key=abs, default=0.0)


CHECK = Check(
    id="FL241",
    summary="rewarded actions become no likelier",
    causes=("rl-advantage",),
    likely="the advantage is the value minus the return, or the policy's loss lacks its minus",
    fix="use the return minus the value as the advantage, and minimise minus its product with the log-probability",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
