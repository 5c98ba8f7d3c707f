"""The effect of a reward is learned for states other than those that led to it.

## What it sees
The states that a program met are known: the inputs of its networks before it acted, and what its environment showed it.
A copy of the program is given one different reward at the end of an episode. The targets that this changes, or the
weights with which actions are made more likely, belong to states that were met, but in other episodes. Either stored
observations and the values computed from rewards are laid out in different orders, or everything that was stored is one
and the same array.

## When it is fine
Never. States that are preprocessed differently for learning and for acting are not recognized, and nothing is reported.
"""

from collections.abc import Sequence

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import RewardAsked, Rewarded


class Limits(Settable):
    answers: int = 4
    """Fewest targets or weights at states of other episodes; fewer may be a state that looks like another."""
    share: float = 0.75
    """Smallest share of those with known states that belong to other episodes; a reward that crosses the start of an
    episode changes a smaller share."""
    rows: float = 4.0
    """Fewest of them per environment when all states are the same; that many must have been stored over several
    steps."""


def find(seen: Rewarded, limits: Limits) -> Found:
    yield from [*_of(seen.values, "targets", limits), *_of(seen.actions, "action weights", limits)][:1]


def _of(asked: Sequence[RewardAsked], named: str, limits: Limits) -> Found:
    told = [one for one in asked if one.others or one.own]
    others, own = sum(one.others for one in told), sum(one.own for one in told)
    if not told or not others >= limits.share * (others + own):
        return
    alike = all(_are_alike(one, limits) for one in told)
    if not alike and not others >= limits.answers:
        return
    last = told[-1]
    where = f"{others} of {others + own} {named} that a different reward changes belong to states of other episodes"
    kept = f"; the {last.around} {named} that are learned from have {last.states} different states"
    yield Evidence(
        where=at(last.site, step=last.step, rank=last.rank),
        saw=f"{where}{kept if alike else ''}",
        wanted=f"{named} at the states of the episode in which the reward was earned",
        cause="rl-obs" if alike else None,
        likely="all stored observations are one array, which is overwritten at each step" if alike else None,
        do="copy what the environment returns before storing it" if alike else None,
        numbers={"others": others, "own": own, "states": last.states},
    )


def _are_alike(asked: RewardAsked, limits: Limits) -> bool:
    """There are no more different states than environments."""
    return 0 < asked.states <= asked.places and asked.around >= limits.rows * asked.places


CHECK = Check(
    id="FL248",
    summary="the effect of rewards is learned for the states of other episodes",
    causes=("rl-advantage", "rl-obs"),
    likely="observations and returns are laid out in different orders, by steps and by environments",
    fix="stack and reshape observations, actions, advantages and returns the same way",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
