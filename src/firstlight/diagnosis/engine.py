"""From what is known to what is likely: Bayes over exclusive causes, then what was found or proven outright."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from firstlight.diagnosis.case import Case
from firstlight.diagnosis.knowledge.declare import Experiment, Level
from firstlight.diagnosis.knowledge.knowledge_base import KnowledgeBase
from firstlight.diagnosis.prior import NOTHING_WRONG, prior
from firstlight.errors import UsageError

TEMPERED = 0.7
"""Exponent of all but the strongest evidence of one measurement, which is not independent of it."""
VERIFIED = 0.97
"""A repair that works proves its cause about this much."""
FAILED_REPAIR = 0.1
"""Factor on the odds of a cause whose repair changes nothing."""
CERTAIN = 0.995
"""Nothing is believed more than this, so that a mistaken finding can still be outweighed."""
RIVAL = 0.5
"""A claim of this confidence for a cause that the same repair would also cure keeps the repair from being a proof."""


@dataclass(frozen=True)
class Belief:
    shares: Mapping[str, float]
    """Which cause is the main one: exclusive, sums to 1."""
    probabilities: Mapping[str, float]
    """Which causes are there: several may be near 1."""
    verified: frozenset[str]
    because: Mapping[str, tuple[str, ...]]
    """Ids of findings, hints and repairs that name a cause outright."""

    @cached_property
    def ranked(self) -> tuple[str, ...]:
        """Causes, the most probable first."""
        return tuple(sorted(self.shares, key=lambda slug: (-self.probabilities[slug], -self.shares[slug], slug)))

    @cached_property
    def entropy(self) -> float:
        """Of the shares, in nats."""
        return -sum(share * math.log(share) for share in self.shares.values() if share > 0.0)


def weigh(base: KnowledgeBase, case: Case) -> Belief:
    """What the case makes of the priors. Unknown slugs are errors."""
    observed, neutral = measured(base, case)
    shares = _by_evidence(base, case, observed, neutral)
    verified = _verified(base, case, shares)
    claimed = _claimed(base, case, verified)
    return _lifted(shares, claimed, verified, _because(base, case))


def nothing_wrong(base: KnowledgeBase, belief: Belief) -> float:
    """How likely it is that the program has no bug: the shares of all `null-*` together."""
    return sum(share for slug, share in belief.shares.items() if base.cause[slug].category == NOTHING_WRONG)


def measured(base: KnowledgeBase, case: Case) -> tuple[dict[str, bool], frozenset[tuple[str, str]]]:
    """Observations, those of repairs included; and where a failed repair already speaks against its cause."""
    observed = dict(case.observed)
    neutral: set[tuple[str, str]] = set()
    for slug in observed:
        if slug not in base.observation:
            raise UsageError(f"`{slug}` is not a known observation.")
    for slug, worked in sorted(case.repairs, key=lambda tried: not tried[1]):
        experiment, cause = repair(base, slug)
        for seen in experiment.yields:
            observed.setdefault(seen, worked)
            if not observed[seen]:
                neutral.add((seen, cause))
    return observed, frozenset(neutral)


def repair(base: KnowledgeBase, slug: str) -> tuple[Experiment, str]:
    """The experiment of this name and the cause that it repairs."""
    experiment = base.experiment.get(slug)
    if experiment is None or experiment.repairs is None:
        known = ", ".join(sorted(one.slug for one in base.experiments if one.repairs))
        raise UsageError(f"`{slug}` is not a known repair. Known repairs are {known}.")
    return experiment, experiment.repairs


def _by_evidence(
    base: KnowledgeBase, case: Case, observed: dict[str, bool], neutral: frozenset[tuple[str, str]]
) -> dict[str, float]:
    groups: dict[str, list[str]] = {}
    for slug in sorted(observed):
        groups.setdefault(base.observation[slug].group, []).append(slug)
    logs = {slug: math.log(share) if share > 0.0 else -math.inf for slug, share in prior(base, case.context).items()}
    for members in groups.values():
        rows = [(slug, base.table[slug].of(observed[slug])) for slug in members]
        for place, cause in enumerate(base.slugs):
            logs[cause] += pooled([row[place] for slug, row in rows if (slug, cause) not in neutral])
    return _normalised(_hinted(base, case, logs))


def pooled(evidence: Sequence[float]) -> float:
    """What observations of one measurement say together for one cause, as a logarithm of odds.

    The strongest of those that speak for it counts in full, and so does the strongest against it; the others are
    tempered. More evidence for a cause never says less for it, and what says nothing changes nothing.
    """
    most, least = max((0.0, *evidence)), min((0.0, *evidence))
    return TEMPERED * math.fsum(evidence) + (1.0 - TEMPERED) * (most + least)


def _hinted(base: KnowledgeBase, case: Case, logs: dict[str, float]) -> dict[str, float]:
    for hint in case.hints:
        logs[_known(base, hint.cause)] += math.log(hint.ratio)
    for cause in _failed(base, case):
        logs[cause] += math.log(FAILED_REPAIR)
    return logs


def _failed(base: KnowledgeBase, case: Case) -> frozenset[str]:
    """Causes with a repair that changed nothing, and none that worked."""
    tried = [(repair(base, slug)[1], worked) for slug, worked in case.repairs]
    return frozenset(cause for cause, _ in tried) - {cause for cause, worked in tried if worked}


def _known(base: KnowledgeBase, cause: str) -> str:
    if cause not in base.cause:
        raise UsageError(f"`{cause}` is not a known cause.")
    return cause


def _normalised(logs: dict[str, float]) -> dict[str, float]:
    most = max(logs.values())
    weights = {slug: math.exp(log - most) for slug, log in logs.items()}
    total = math.fsum(weights.values())
    return {slug: weight / total for slug, weight in weights.items()}


def _verified(base: KnowledgeBase, case: Case, shares: dict[str, float]) -> frozenset[str]:
    """A tenth of the learning rate also calms what something else made unstable: such a cure proves its cause only
    when no other that it would cure is a better explanation."""
    proven: set[str] = set()
    sure = {claim.cause for claim in case.claims if claim.confidence >= RIVAL}
    for slug, worked in case.repairs:
        experiment, cause = repair(base, slug)
        rivals = {rival for seen in experiment.yields for rival in _cured_too(base, seen)} - {cause}
        if worked and not rivals & sure and all(shares[cause] >= shares[rival] for rival in rivals):
            proven.add(cause)
    return frozenset(proven)


def _cured_too(base: KnowledgeBase, observation: str) -> frozenset[str]:
    levels = base.table[observation].levels
    return frozenset(slug for slug, level in levels.items() if level in {Level.VERY_LIKELY, Level.LIKELY})


def _claimed(base: KnowledgeBase, case: Case, verified: frozenset[str]) -> dict[str, float]:
    """Several findings of one cause support each other."""
    absent: dict[str, float] = {}
    for claim in case.claims:
        absent[_known(base, claim.cause)] = absent.get(claim.cause, 1.0) * (1.0 - claim.confidence)
    claimed = {cause: min(1.0 - chance, CERTAIN) for cause, chance in absent.items()}
    for cause in _failed(base, case) & claimed.keys():
        odds = FAILED_REPAIR * claimed[cause] / (1.0 - claimed[cause])
        claimed[cause] = odds / (1.0 + odds)
    return claimed | {cause: max(VERIFIED, claimed.get(cause, 0.0)) for cause in verified}


def _because(base: KnowledgeBase, case: Case) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for cause, because in [
        *((claim.cause, claim.because) for claim in case.claims),
        *((hint.cause, hint.because) for hint in case.hints if hint.ratio > 1),
        *((repair(base, slug)[1], slug) for slug, worked in case.repairs if worked),
    ]:
        found.setdefault(cause, {})[because] = None
    return {cause: tuple(ids) for cause, ids in found.items()}


def _lifted(
    shares: dict[str, float],
    claimed: dict[str, float],
    verified: frozenset[str],
    because: Mapping[str, tuple[str, ...]],
) -> Belief:
    """Claims take their mass from the causes that nobody claimed, never from each other."""
    lifted = dict(shares)
    held = sum(shares[cause] for cause in claimed)
    any_claim = 1.0 - math.prod(1.0 - confidence for confidence in claimed.values())
    mass = max(held, min(any_claim, CERTAIN))
    if claimed and mass > held:
        weights = {cause: max(confidence, shares[cause]) for cause, confidence in claimed.items()}
        total = sum(weights.values())
        lifted = {slug: share * (1.0 - mass) / (1.0 - held) for slug, share in shares.items()}
        lifted |= {cause: mass * weight / total for cause, weight in weights.items()}
    probabilities = {slug: max(share, claimed.get(slug, 0.0)) for slug, share in lifted.items()}
    probabilities |= {slug: max(probabilities[slug], shares[slug]) for slug in claimed}
    return Belief(MappingProxyType(lifted), MappingProxyType(probabilities), verified, MappingProxyType(dict(because)))
