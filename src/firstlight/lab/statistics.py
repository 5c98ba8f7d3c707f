"""What a few numbers from a few seeds allow to be said. Pure: lists of numbers in, numbers out.

The comparison of pairs may be looked at after every pair: its error is bounded over all looks together. It rests on
the ratio of two likelihoods, that of an effect drawn from a normal prior and that of no effect, with the scale
integrated out (the sequential t-test of Lai, 1976, and of Wang and Ramdas, 2024). By Ville's inequality the ratio ever
exceeds 1/alpha with a probability of at most alpha where there is no effect, for differences that are normal.
"""

import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev, variance
from typing import NamedTuple

ALPHA = 0.05
PRIOR_PRECISION = 0.1
"""Of the effect size: large effects are found from three pairs on, those of two standard deviations in about seven."""
LEAST_PAIRS = 3
MOST_MORE = 200
"""Pairs that are looked ahead for; an effect that needs more is of no use to anyone who trains."""
FORECASTS = 200
POWER = 0.8
DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """What same-seed pairs say of the difference between two variants."""

    pairs: int
    mean: float
    sd: float
    effect: float | None
    """The mean difference in standard deviations of the differences; None where these do not differ."""
    low: float
    high: float
    """Between these the mean difference lies, at all looks together, with a probability of 1 - alpha."""
    p: float
    """Bounds the probability of as much evidence at any look, were there no difference."""

    @property
    def decided(self) -> bool:
        return self.low > 0 or self.high < 0


def paired(differences: Sequence[float], alpha: float = ALPHA) -> Paired:
    """Of one difference for each pair. Fewer than three pairs decide nothing."""
    count = len(differences)
    mean = fmean(differences)
    sd = stdev(differences) if count > 1 else 0.0
    low, high = interval(differences, alpha)
    return Paired(
        pairs=count,
        mean=mean,
        sd=sd,
        effect=mean / sd if sd else None,
        low=low,
        high=high,
        p=min(1.0, math.exp(-log_evidence(differences))),
    )


def log_evidence(differences: Sequence[float]) -> float:
    """Logarithm of the likelihood ratio for a mean other than zero; 0 where nothing is known."""
    count, total, squares = len(differences), math.fsum(differences), math.fsum(x * x for x in differences)
    if not squares or count < 2:
        return 0.0
    explained = total * total / (squares * (count + PRIOR_PRECISION))
    return 0.5 * math.log(PRIOR_PRECISION / (count + PRIOR_PRECISION)) - 0.5 * count * math.log1p(-explained)


def interval(values: Sequence[float], alpha: float = ALPHA) -> tuple[float, float]:
    """The means that the evidence does not speak against; unbounded where there are too few values."""
    count = len(values)
    mean = fmean(values)
    if count < LEAST_PAIRS:
        return -math.inf, math.inf
    scatter = math.fsum((x - mean) ** 2 for x in values)
    precise = count + PRIOR_PRECISION
    bound = (precise / PRIOR_PRECISION) ** (1 / count) * alpha ** (-2 / count)
    room = bound * count * count / precise - (bound - 1) * count
    if room <= 0:
        return -math.inf, math.inf
    half = math.sqrt((bound - 1) * scatter / room)
    return mean - half, mean + half


def more_pairs(differences: Sequence[float], alpha: float = ALPHA) -> int | None:
    """How many more pairs decide it four times in five, were the difference what it looks like; None for too many."""
    if len(differences) < 2 or not any(differences):
        return None
    mean, sd = fmean(differences), stdev(differences)
    luck = random.Random(0)
    needed = sorted(_until_decided(list(differences), mean, sd, alpha, luck) for _ in range(FORECASTS))
    found = needed[math.ceil(POWER * FORECASTS) - 1]
    return found if found <= MOST_MORE else None


def _until_decided(known: list[float], mean: float, sd: float, alpha: float, luck: random.Random) -> int:
    count, total, squares = len(known), math.fsum(known), math.fsum(x * x for x in known)
    for more in range(1, MOST_MORE + 1):
        drawn = luck.gauss(mean, sd)
        count, total, squares = count + 1, total + drawn, squares + drawn * drawn
        precise = count + PRIOR_PRECISION
        unexplained = max(1 - total * total / (squares * precise), 1e-12)
        if 0.5 * math.log(PRIOR_PRECISION / precise) - 0.5 * count * math.log(unexplained) >= -math.log(alpha):
            return more
    return MOST_MORE + 1


def holm(p_values: Sequence[float]) -> list[float]:
    """Each made larger so that the chance of any false winner among them stays what it is for one."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = highest
    return adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Of one source of randomness in the spread of a metric."""

    variance: float
    share: float
    low: float
    high: float
    """Of the share, from the few runs it rests on: nine times in ten it lies between these."""


def shares(by_source: Mapping[str, Sequence[float]], floor: Sequence[float] = ()) -> dict[str, Share]:
    """`by_source` has the values of runs in which one source alone varies, `floor` those in which none does.

    What varies with nothing varied is in every source, and is taken off each. A source that spreads no more than that
    has no part of its own, and its runs are further ones in which nothing varies.
    """
    spreads = {name: SampleVariance(_variance(values), len(values) - 1) for name, values in by_source.items()}
    noise = SampleVariance(_variance(floor), len(floor) - 1) if len(floor) > 1 else None
    parts = _parts(spreads, _pooled(noise, spreads.values()))
    total = math.fsum(parts.values())
    luck = random.Random(0)
    drawn = [_shares_of(_redrawn(spreads, noise, luck)) for _ in range(DRAWS)]
    found = {}
    for name, part in parts.items():
        ordered = sorted(one[name] for one in drawn)
        low, high = ordered[DRAWS // 20], ordered[-DRAWS // 20]
        found[name] = Share(variance=part, share=part / total if total else 0.0, low=low, high=high)
    return found


NONDETERMINISM = "nondeterminism"


class SampleVariance(NamedTuple):
    """A variance, and the degrees of freedom it is estimated with."""

    variance: float
    freedom: int

    def redrawn(self, luck: random.Random) -> "SampleVariance":
        """One that could as well have led to this estimate."""
        drawn = max(luck.gammavariate(self.freedom / 2, 2.0), 1e-12)
        return SampleVariance(self.variance * self.freedom / drawn, self.freedom)


def _variance(values: Sequence[float]) -> float:
    return variance(values) if len(values) > 1 else 0.0


def _pooled(noise: SampleVariance | None, spreads: Iterable[SampleVariance]) -> float | None:
    """The likeliest noise, given that no source can spread less; None where it was not measured."""
    if noise is None:
        return None
    for spread in sorted(spreads):
        if spread.variance >= noise.variance:
            break
        freedom = noise.freedom + spread.freedom
        both = noise.variance * noise.freedom + spread.variance * spread.freedom
        noise = SampleVariance(both / freedom, freedom)
    return noise.variance


def _parts(spreads: Mapping[str, SampleVariance], noise: float | None) -> dict[str, float]:
    """The variance that each source adds, and that of none where it is known."""
    parts = {name: max(0.0, spread.variance - (noise or 0.0)) for name, spread in spreads.items()}
    return parts if noise is None else {**parts, NONDETERMINISM: noise}


def _redrawn(
    spreads: Mapping[str, SampleVariance], noise: SampleVariance | None, luck: random.Random
) -> dict[str, float]:
    again = {name: spread.redrawn(luck) for name, spread in spreads.items()}
    return _parts(again, None if noise is None else noise.redrawn(luck).variance)


def _shares_of(parts: Mapping[str, float]) -> dict[str, float]:
    total = math.fsum(parts.values())
    return {name: part / total if total else 0.0 for name, part in parts.items()}


def side(values: Sequence[float], good: Sequence[float], bad: Sequence[float]) -> float:
    """Logarithm of the odds that these values come from the bad side rather than from the good one.

    The likelihoods are those of Student's t around each side's mean: one odd run does not settle it.
    """
    freedom = max(1, len(good) + len(bad) - 2)
    centres = fmean(good), fmean(bad)
    scatter = math.fsum((x - centres[0]) ** 2 for x in good) + math.fsum((x - centres[1]) ** 2 for x in bad)
    smallest = LEAST_SCALE * abs(centres[1] - centres[0])
    scale = max(math.sqrt(scatter / freedom), smallest, 1e-300)
    return math.fsum(_log_density((x - centres[1]) / scale, freedom) for x in values) - math.fsum(
        _log_density((x - centres[0]) / scale, freedom) for x in values
    )


LEAST_SCALE = 0.05
"""Of the distance between the two sides: values between them are never taken as certain."""


def _log_density(x: float, freedom: int) -> float:
    """Of Student's t, up to a constant."""
    return -0.5 * (freedom + 1) * math.log1p(x * x / freedom)
