"""What becomes of the rewards that an environment gives, and of its ends of episodes."""

import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from firstlight.facts.sightings import Sightings, groups
from firstlight.records.dealings import (
    ACTIONS,
    VALUES,
    Bootstrapped,
    BootstrapSeen,
    Discounted,
    Returning,
    ReturnsSeen,
    RewardAsked,
    Rewarded,
    Weighed,
    WeightsSeen,
)
from firstlight.records.program import Ending
from firstlight.records.training import StepSeen

ALIKE = 0.02
"""Relative; changes whose ratios differ by less are powers of one discount."""
LEAST_CHANGES = 3


def bootstrapped(seen: Sightings) -> Iterator[Bootstrapped]:
    """By what is told of each line; where answers were kept before they were met, by what copies were asked."""
    beyond = _beyond(seen)
    for looks in groups(seen.of(BootstrapSeen), lambda look: (look.rank, look.site)):
        last = looks[-1]
        yield Bootstrapped(
            rank=last.rank,
            site=last.site,
            looks=len({look.step for look in looks}),
            step=last.step,
            examples=sum(look.examples for look in looks),
            cut=sum(look.cut for look in looks),
            same=sum(look.same for look in looks),
            carries=sum(look.carries for look in looks),
            ends=last.ends,
            episodes=last.episodes,
            even=last.even,
            apart=last.apart,
            beyond=sum(one.beyond[0] for one in beyond.pop(last.rank, ())),
        )
    for rank, risen in beyond.items():
        ended = risen[-1].ended
        yield Bootstrapped(
            rank=rank,
            site=risen[-1].site,
            looks=0,
            step=risen[-1].step,
            examples=sum(one.rows for one in risen),
            cut=0,
            same=0,
            carries=0,
            ends=ended.share,
            episodes=ended.episodes,
            even=True,
            beyond=sum(one.beyond[0] for one in risen),
        )


def _beyond(seen: Sightings) -> dict[int, list[RewardAsked]]:
    """By rank: where answers of an episode that no limit of time ended rose with what was said of its end, and no
    other answers did."""
    found: dict[int, list[RewardAsked]] = {}
    for one in seen.of(RewardAsked):
        own, others = one.beyond
        if one.kind == VALUES and own and not others and one.length < one.ended.longest:
            found.setdefault(one.rank, []).append(one)
    return found


def discounted(seen: Sightings) -> Iterator[Discounted]:
    """By the part that is taken of a network's value, and by how a reward counts for the steps before it."""
    for looks in groups(seen.of(BootstrapSeen), lambda look: (look.rank, look.site)):
        yield Discounted(
            rank=looks[-1].rank,
            site=looks[-1].site,
            step=looks[-1].step,
            looks=len({look.step for look in looks}),
            discount=min(look.share for look in looks),
        )
    for asked in groups([one for one in seen.of(RewardAsked) if one.kind == VALUES], lambda one: one.rank):
        found = [discount for one in asked if (discount := _discount(one)) is not None]
        if found and len(found) == len(asked):
            last = asked[-1]
            yield Discounted(rank=last.rank, site=last.site, step=last.step, looks=len(found), discount=min(found))


def _discount(asked: RewardAsked) -> float | None:
    """A reward at the end of an episode counts for earlier steps by powers of it.

    The step itself is known by what a single step counts for. In whatever order they came, and repeated in every epoch.
    """
    if len(set(asked.at_start)) != 1 or len(asked.at_end) < LEAST_CHANGES:
        return None
    own = asked.at_start[0]
    sizes = [one / own for one in asked.at_end]
    down = max(sizes) <= 1 + ALIKE
    powers: list[float] = []
    for size in sorted(sizes, reverse=down):
        if not powers or abs(size - powers[-1]) > ALIKE * abs(powers[-1]):
            powers.append(size)
    if len(powers) < LEAST_CHANGES or not abs(powers[0] - 1) < ALIKE:
        return None
    ratios = [later / earlier for earlier, later in pairwise(powers)]
    middle = median(ratios)
    return middle if all(abs(ratio - middle) < ALIKE * abs(middle) for ratio in ratios) else None


def rewarded(seen: Sightings) -> Iterator[Rewarded]:
    bootstraps, asked = seen.of(BootstrapSeen), seen.of(RewardAsked)
    for rank in sorted({one.rank for one in (*bootstraps, *asked)}):
        looks = [look for look in bootstraps if look.rank == rank]
        told = [one for one in asked if one.rank == rank]
        yield Rewarded(
            rank=rank,
            site=looks[-1].site if looks else told[-1].site,
            step=max(one.step for one in (*looks, *told)),
            examples=sum(look.examples for look in looks),
            rewards=sum(look.rewards for look in looks),
            negatives=sum(look.negatives for look in looks),
            nothing=sum(look.nothing for look in looks),
            size=max((look.size for look in looks), default=0.0),
            given=max((look.given for look in looks), default=0.0),
            values=tuple(one for one in told if one.kind == VALUES),
            actions=tuple(one for one in told if one.kind == ACTIONS),
        )


def returning(seen: Sightings) -> Iterator[Returning]:
    """By a copy that went on to the program's end, where there is one: it follows the program's own."""
    finished = any(end.reason == "exit" for end in seen.of(Ending))
    for told in groups(seen.of(ReturnsSeen), lambda one: one.rank):
        last = told[-1]
        start, end = last.start, last.end
        error = math.sqrt(start.spread**2 / start.episodes + end.spread**2 / end.episodes)
        yield Returning(
            rank=last.rank,
            site=next((step.site for step in seen.of(StepSeen) if step.rank == last.rank), None),
            step=last.step,
            episodes=last.episodes,
            start=start.mean,
            end=end.mean,
            rise=(end.mean - start.mean) / error if error else 0.0,
            varied=error > 0,
            to_end=last.to_end or finished,
        )


def weighed(seen: Sightings) -> Iterator[Weighed]:
    for looks in groups(seen.of(WeightsSeen), lambda look: look.rank):
        returns = [one for look in looks for one in look.returns]
        if not returns:
            continue
        ((usual, _),) = Counter(returns).most_common(1)
        yield Weighed(
            rank=looks[-1].rank,
            site=looks[-1].site,
            step=looks[-1].step,
            looks=len(looks),
            telling=sum(any(one != usual for one in look.returns) for look in looks),
            largest=max(look.largest for look in looks),
            lowest=min(returns),
            highest=max(returns),
        )
