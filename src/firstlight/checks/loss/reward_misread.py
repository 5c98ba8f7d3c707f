"""Rewards reach what is learnt from them turned round, or not at all.

## What it sees
The program acts in an environment. What its targets are made of besides a network's value is held against the rewards
that the environment gave: they are their negatives, or nothing. And copies of the program are given another reward,
once: the answers that their predictions are to meet, or the weights by which actions become likelier, move against it,
or stay what they are although every reward so far was looked at several times over.

## When it is fine
An environment that gives costs, which are to be small. Rewards that are scaled, clipped or standardised keep their
direction and are not reported.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import RewardAsked, Rewarded


class Limits(Settable):
    share: float = 0.9
    """Of the examples."""
    examples: int = 32
    """Fewer may be an odd few."""
    rounds: float = 6.0
    """Times that all rewards were looked at, before one that changed nothing counts as lost."""
    rollouts: int = 3
    """The same, where only what is new is looked at."""


def find(seen: Rewarded, limits: Limits) -> Found:
    where = at(seen.site, step=seen.step, rank=seen.rank)
    enough = max(limits.share * seen.examples, limits.examples)
    told = seen.values or seen.actions
    turned, lost = seen.negatives >= enough, seen.nothing >= enough and seen.given > 0
    if turned or lost:
        what = "negatives of rewards" if turned else "nothing"
        saw = f"in {seen.negatives if turned else seen.nothing} of {seen.examples} examples the target is {what}, and "
        saw += "what a network says"
    elif told and all(_turned(one) for one in told):
        turned, saw = True, f"a reward that is 1 higher changes what is told of its step by {_own(told[-1]):+.3g}"
    elif told and all(_is_lost(one, limits) for one in told):
        saw = f"another reward changes nothing in {told[-1].rows} examples from {told[-1].exchanges} exchanges"
    else:
        return
    yield Evidence(
        where=where,
        saw=saw,
        wanted="higher targets for steps with a higher reward",
        likely=None if turned else "the reward is stored nowhere, overwritten or multiplied away",
        do=None if turned else "print the reward that the environment gives beside the one in the target",
        numbers={"examples": seen.examples, "negatives": seen.negatives, "nothing": seen.nothing},
    )


def _own(asked: RewardAsked) -> float:
    """The change for the step that the reward was given for: the first of an episode counts for no other."""
    return max(asked.at_start or asked.at_end, key=abs)


def _turned(asked: RewardAsked) -> bool:
    changes = (*asked.at_start, *asked.at_end)
    return bool(changes) and _own(asked) < 0


def _is_lost(asked: RewardAsked, limits: Limits) -> bool:
    seen = asked.rows >= limits.rounds * asked.exchanges or asked.rollouts >= limits.rollouts
    return seen and not asked.at_start and not asked.at_end


CHECK = Check(
    id="FL239",
    summary="rewards reach what is learnt from them turned round, or not at all",
    causes=("rl-reward",),
    likely="the reward is subtracted where it should be added",
    fix="add the reward as the environment gives it",
    severity=Severity.ERROR,
    confidence=0.93,
    find=find,
)
