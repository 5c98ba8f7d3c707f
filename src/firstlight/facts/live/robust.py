"""Statistics that a few wild values cannot move."""

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

MAD_TO_SIGMA = 1.4826
"""Of a normal distribution."""


def spread(values: Sequence[float]) -> float:
    """Noise about a level that may drift, from successive differences."""
    if len(values) < 3:
        return 0.0
    return MAD_TO_SIGMA * median(abs(b - a) for a, b in pairwise(values)) / math.sqrt(2)


def flips(values: Sequence[float]) -> float:
    """Share of successive differences that change sign: 2/3 for noise, 0 for a smooth course, 1 for a bounce."""
    steps = [b - a for a, b in pairwise(values) if b != a]
    turns = [a * b < 0 for a, b in pairwise(steps)]
    return sum(turns) / len(turns) if turns else 0.0


def rising(values: Sequence[float]) -> float:
    """One-sided p of Mann and Kendall: how likely so clear a rise is if there is no trend."""
    count = len(values)
    if count < 4:
        return 1.0
    score = sum((b > a) - (b < a) for i, a in enumerate(values) for b in values[i + 1 :])
    deviation = math.sqrt(count * (count - 1) * (2 * count + 5) / 18)
    z = (score - 1) / deviation if score > 0 else 0.0
    return 0.5 * math.erfc(z / math.sqrt(2))


def together(one: Sequence[float], other: Sequence[float]) -> float:
    """Spearman's rank correlation; 0 where either never changes."""
    ranks = [_ranks(one), _ranks(other)]
    middle = (len(one) - 1) / 2
    a, b = (sum((rank - middle) ** 2 for rank in each) for each in ranks)
    cross = sum((x - middle) * (y - middle) for x, y in zip(*ranks, strict=True))
    return cross / math.sqrt(a * b) if a > 0 and b > 0 else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """Equal values share the mean of their places."""
    places: dict[float, list[int]] = {}
    for place, value in enumerate(sorted(values)):
        places.setdefault(value, []).append(place)
    return [sum(places[value]) / len(places[value]) for value in values]
