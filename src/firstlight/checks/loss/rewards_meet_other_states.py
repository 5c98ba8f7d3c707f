"""What a reward changes is learnt for other states than those that led to it.

## What it sees
The states that a program met are known: what its networks were asked about before it acted, and what its environment
showed it. A copy of the program is given another reward at the end of an episode, once. The answers that this changes
stand beside states that were met, but in other episodes: what was kept of observations and what was made of rewards
are laid out in different orders, or all that was kept is one and the same array.

## When it is fine
Never. States that are prepared otherwise for learning than for acting are not recognised, and nothing is told.
"""

from firstlight.checks.declare import Check, Evidence, Found, Settable, Severity, at
from firstlight.records.dealings import RewardAsked, Rewarded


class Limits(Settable):
    answers: int = 4
    """Fewer may be a state that looks like another."""
    share: float = 0.75
    """Of the answers whose states are known; a reward that crosses the start of an episode changes fewer of another."""
    rows: float = 4.0
    """Answers for each environment, of which several steps must have been kept."""


def find(seen: Rewarded, limits: Limits) -> Found:
    others, own = sum(one.others for one in seen.values), sum(one.own for one in seen.values)
    told = [one for one in seen.values if one.others or one.own]
    if not told or not others >= limits.share * (others + own):
        return
    alike = all(_are_alike(one, limits) for one in told)
    if not alike and not others >= limits.answers:
        return
    last = told[-1]
    where = f"{others} of {others + own} answers that another reward changes belong to states of other episodes"
    kept = f"; the {last.around} answers that are learnt from have {last.states} different states"
    yield Evidence(
        where=at(last.site, step=last.step, rank=last.rank),
        saw=f"{where}{kept if alike else ''}",
        wanted="answers beside the states of the episode in which the reward was earned",
        cause="rl-obs" if alike else None,
        likely="all observations that were kept are one array, which is written anew at each step" if alike else None,
        do="copy what the environment returns before it is kept" if alike else None,
        numbers={"others": others, "own": own, "states": last.states},
    )


def _are_alike(asked: RewardAsked, limits: Limits) -> bool:
    """No more of them than there are environments."""
    return 0 < asked.states <= asked.places and asked.around >= limits.rows * asked.places


CHECK = Check(
    id="FL248",
    summary="what rewards change is learnt for the states of other episodes",
    causes=("rl-advantage", "rl-obs"),
    likely="observations and returns are laid out in different orders, by steps and by environments",
    fix="stack and reshape observations, actions, advantages and returns the same way",
    severity=Severity.WARNING,
    confidence=0.93,
    find=find,
)
