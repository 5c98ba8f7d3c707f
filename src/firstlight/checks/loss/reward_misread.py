"""Rewards are learned with the wrong sign, or not at all.

## What it sees
The program acts in an environment. What its targets contain besides a network's value is compared with the rewards that
the environment gave: it is their negatives, or zero. Also, copies of the program are given one different reward. The
targets of their predictions, or the weights by which actions become more likely, move against that reward; or they do
not change at all, although every reward so far was looked at several times over.

## When it is fine
An environment that gives costs, which are to be small. Rewards that are scaled, clipped or standardized keep their
direction and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import RewardAsked, Rewarded


class Limits(Settable):
    share: float = 0.9
    """Smallest share of the examples that show this."""
    examples: int = 32
    """Fewest examples that show this."""
    rounds: float = 6.0
    """How many times over all rewards must have been looked at before a change without effect counts as lost."""
    rollouts: int = 3
    """The same, counted in looks that cover only what is new."""


def find(seen: Rewarded, limits: Limits) -> Found:
    where = at(seen.site, step=seen.step, rank=seen.rank)
    enough = max(limits.share * seen.examples, limits.examples)
    told = seen.values or seen.actions
    turned, lost = seen.negatives >= enough, seen.nothing >= enough and seen.given > 0
    if turned or lost:
        what = "the negative of the reward" if turned else "zero"
        saw = f"in {seen.negatives if turned else seen.nothing} of {seen.examples} examples the target is {what}, plus "
        saw += "a network's output"
    elif told and all(_turned(one) for one in told):
        turned, saw = True, f"a reward that is 1 higher changes what its step learns by {_own(told[-1]):+.3g}"
    elif told and all(_is_lost(one, limits) for one in told):
        saw = f"another reward changes nothing in {told[-1].rows} examples from {told[-1].exchanges} environment steps"
    else:
        return
    yield Evidence(
        where=where,
        saw=saw,
        wanted="higher targets for steps with a higher reward",
        likely=None if turned else "the reward is never stored, is overwritten, or is multiplied by zero",
        do=None if turned else "print the reward that the environment gives next to the one in the target",
        numbers={"examples": seen.examples, "negatives": seen.negatives, "nothing": seen.nothing},
    )


def _own(asked: RewardAsked) -> float:
    """The change for the step that earned the reward: a reward at the start of an episode counts for no other."""
    return max(asked.at_start or asked.at_end, key=abs)


def _turned(asked: RewardAsked) -> bool:
    changes = (*asked.at_start, *asked.at_end)
    return bool(changes) and _own(asked) < 0


def _is_lost(asked: RewardAsked, limits: Limits) -> bool:
    seen = asked.rows >= limits.rounds * asked.exchanges or asked.rollouts >= limits.rollouts
    return seen and not asked.at_start and not asked.at_end


CHECK = Check(
    id="FL239",
    summary="rewards are learned with the wrong sign, or not at all",
    causes=("rl-reward",),
    likely="the reward is subtracted where it should be added",
    fix="add the reward as the environment gives it",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
