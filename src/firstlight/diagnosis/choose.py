"""Which experiment to run next, by expected information per second, and when to stop."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise

from firstlight.diagnosis.case import Case
from firstlight.diagnosis.engine import Belief, measured, nothing_wrong, weigh
from firstlight.diagnosis.knowledge.declare import VERY_LIKELY, Experiment
from firstlight.diagnosis.knowledge.experiments import LADDER
from firstlight.diagnosis.knowledge.knowledge_base import KnowledgeBase

DOMINATES = 0.85
LEAST_DROP = 0.15
"""A round that lowers the entropy by less than this part of it brought nothing."""
ROUNDS_WITHOUT_DROP = 2
ROUND_COST = 2.0
"""Experiments of this cost together, in baselines, are one round. A single cheap probe rarely moves the belief: played
against its own table, the search ends right in 3 of 10 programs if each probe is a round, and in 2 of 3 like this."""
LEAST_GAIN_NATS = 1e-3
REPAIR_CURES_OTHERS = 0.02
"""How often a repair helps a program that has another illness."""
LEAST_NONE = 0.01
WORTH_REPAIRING = 0.10
NOTHING: Mapping[str, bool] = {}


class Reason(StrEnum):
    LADDER = "nothing is known yet: the cheapest step of the default sequence"
    GAIN = "most expected information per second"
    DOMINATES = "one cause dominates"
    NO_PROGRESS = (
        "two rounds brought nothing: compare with an implementation that works (math, graph, tricks, settings)"
    )
    BUDGET = "the time is used up"
    EXHAUSTED = "no experiment is left that could say more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may be run: the handles at hand, and the time left."""

    handles: frozenset[str]
    baseline_seconds: float
    seconds_left: float
    tried: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    """Experiments that this engine of timelines cannot run."""
    overhead_seconds: float = 0.2
    """Of starting any experiment."""

    def seconds(self, experiment: Experiment) -> float:
        return self.overhead_seconds + experiment.cost * self.baseline_seconds


@dataclass(frozen=True, slots=True)
class Offer:
    experiment: str
    gain_nats: float
    seconds: float

    @property
    def gain_per_second(self) -> float:
        return self.gain_nats / self.seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The experiment to run, or None with the reason for stopping."""

    experiment: Experiment | None
    reason: Reason
    gain_nats: float = 0.0
    seconds: float = 0.0
    offers: tuple[Offer, ...] = field(default=())
    """All that could have been run, the best first."""


def choose(base: KnowledgeBase, case: Case, limits: Limits, entropies: Sequence[float] = ()) -> Choice:
    """`entropies` of the belief before the first round and after each finished one: see `Trail.entropies`."""
    belief = weigh(base, case)
    if max(belief.probabilities[belief.ranked[0]], nothing_wrong(base, belief)) >= DOMINATES:
        return Choice(experiment=None, reason=Reason.DOMINATES)
    if stalls(entropies):
        return Choice(experiment=None, reason=Reason.NO_PROGRESS)
    possible = [one for one in base.experiments if _possible(one, case, limits)]
    affordable = [one for one in possible if limits.seconds(one) <= limits.seconds_left]
    if possible and not affordable:
        return Choice(experiment=None, reason=Reason.BUDGET)
    offers = _offers(base, case, belief, affordable, limits)
    rung = next((one for slug in LADDER for one in affordable if one.slug == slug), None)
    if case.empty and rung is not None:
        return _chosen(rung, Reason.LADDER, offers, limits)
    if not offers or offers[0].gain_nats < LEAST_GAIN_NATS:
        return Choice(experiment=None, reason=Reason.EXHAUSTED, offers=offers)
    return _chosen(base.experiment[offers[0].experiment], Reason.GAIN, offers, limits)


def stalls(entropies: Sequence[float]) -> bool:
    drops = [(before - after) / before if before > 0.0 else 0.0 for before, after in pairwise(entropies)]
    last = drops[-ROUNDS_WITHOUT_DROP:]
    return len(last) == ROUNDS_WITHOUT_DROP and all(drop < LEAST_DROP for drop in last)


def repairs_worth_trying(base: KnowledgeBase, case: Case, limits: Limits, most: int = 3) -> tuple[Experiment, ...]:
    """Repairs of the causes that are likely enough and not proven, the likeliest first."""
    belief = weigh(base, case)
    found: list[Experiment] = []
    for cause in belief.ranked:
        if belief.probabilities[cause] < WORTH_REPAIRING:
            break
        if cause not in belief.verified:
            found += [one for one in base.experiments if one.repairs == cause and _possible(one, case, limits)]
    return tuple(found[:most])


def _possible(experiment: Experiment, case: Case, limits: Limits) -> bool:
    done = limits.tried | limits.without | {slug for slug, _ in case.repairs}
    return experiment.slug not in done and experiment.needs <= limits.handles


def _chosen(experiment: Experiment, reason: Reason, offers: tuple[Offer, ...], limits: Limits) -> Choice:
    gain = next((offer.gain_nats for offer in offers if offer.experiment == experiment.slug), 0.0)
    seconds = limits.seconds(experiment)
    return Choice(experiment=experiment, reason=reason, gain_nats=gain, seconds=seconds, offers=offers)


def _offers(
    base: KnowledgeBase, case: Case, belief: Belief, experiments: Iterable[Experiment], limits: Limits
) -> tuple[Offer, ...]:
    known, _ = measured(base, case)
    offers = [Offer(one.slug, expected_gain(base, belief, one, known), limits.seconds(one)) for one in experiments]
    return tuple(sorted(offers, key=lambda offer: (-offer.gain_per_second, offer.experiment)))


def expected_gain(
    base: KnowledgeBase, belief: Belief, experiment: Experiment, known: Mapping[str, bool] = NOTHING
) -> float:
    """By how many nats the entropy is expected to fall: the information between cause and outcome."""
    if any(known.get(slug) for slug in experiment.yields):
        return 0.0
    live = [(place, share) for place, slug in enumerate(base.slugs) if (share := belief.shares[slug]) > 0.0]
    columns = [
        [base.table[slug].chances[place] for place, _ in live] for slug in experiment.yields if slug not in known
    ]
    if experiment.repairs is not None and not experiment.yields:
        cured = base.slugs.index(experiment.repairs)
        columns.append([VERY_LIKELY if place == cured else REPAIR_CURES_OTHERS for place, _ in live])
    if not columns:
        return 0.0
    shares = [share for _, share in live]
    left = sum(_unnormalised_entropy(shares, column) for column in _exclusive(columns))
    return max(0.0, belief.entropy - left)


def _exclusive(columns: list[list[float]]) -> list[list[float]]:
    """Outcomes of which exactly one happens: each observation alone, or none of them."""
    totals = [sum(chances) for chances in zip(*columns, strict=True)]
    nones = [max(LEAST_NONE, 1.0 - total) for total in totals]
    scale = [1.0 / (total + none) for total, none in zip(totals, nones, strict=True)]
    return [[chance * factor for chance, factor in zip(column, scale, strict=True)] for column in [*columns, nones]]


def _unnormalised_entropy(shares: list[float], chances: list[float]) -> float:
    """The outcome's probability times the entropy that it leaves."""
    weights = [share * chance for share, chance in zip(shares, chances, strict=True)]
    total = sum(weights)
    return total * math.log(total) - sum(weight * math.log(weight) for weight in weights) if total > 0.0 else 0.0
