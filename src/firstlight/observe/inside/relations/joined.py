"""Groups that a feature gives the same value, because as many of as many of their rows have an answer.

Where answers are yes or no, all merchants with one fraud in four sales have one rate. Their rows stand together under
that value: so many times the rows that one of them has, and its frauds. Of how many parts it consists is not known, but
that divides both numbers. The mean of a part follows from the value by one equation for all values; a few of them,
taken apart as far as they can be, tell it, and the others must fit it with some number of parts each.
"""

import math
from typing import NamedTuple

import torch

TRIALS = 64
LEAST_FITTED = 6
"""Values, to which four numbers are fitted once more."""
FITTED = 4
ROUNDING = 1e-5
"""Of the deviation of the answers and a row of the part. The more ways there are to take a value apart, the more exact
it has to be."""
LOOSE = (100.0, 10.0)
"""Times the rounding, within which values count in the fit: four of them alone give it less exactly."""
MOSTLY = 0.9
"""Of the other values, that fit too."""
MOST_PARTS = 24
"""Ways to take one value apart, those into most parts first."""


class SameValue(NamedTuple):
    """Each value of a feature, in its unit, with the number of the rows that have it and the sum of their answers."""

    values: torch.Tensor
    counts: torch.Tensor
    sums: torch.Tensor

    @property
    def design(self) -> torch.Tensor:
        return torch.stack([self.values * self.counts, self.counts, self.values, torch.ones_like(self.values)], 1)

    def rows(self, chosen: torch.Tensor) -> float:
        return float(self.counts[chosen].sum())

    def of(self, places: torch.Tensor, parts: torch.Tensor) -> "SameValue":
        """One part of each."""
        return SameValue(self.values[places], self.counts[places] / parts, self.sums[places] / parts)


def solved_for(design: torch.Tensor, sums: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = torch.linalg.lstsq(design, sums[:, None], driver="gelsd").solution[:, 0]
    return found


def whole_numbers(answers: torch.Tensor) -> bool:
    return bool((answers == answers.round()).all())


def exactly_mean(alike: SameValue, deviation: torch.Tensor) -> torch.Tensor:
    """Which of the values are the mean of their rows, drawn towards that of all."""
    ways = [_ways(int(count), int(total)) for count, total in zip(alike.counts, alike.sums, strict=True)]
    places = torch.tensor([place for place, parts in enumerate(ways) for _ in parts])
    one = alike.of(places, torch.tensor([part for parts in ways for part in parts]).double())
    most = torch.tensor([0, *map(len, ways[:-1])]).cumsum(0)  # the way into most parts of each value comes first
    telling = most[(alike.sums != 0) & (alike.sums.abs() != alike.counts)]  # all or none says nothing of how many
    best = torch.zeros(len(ways), dtype=torch.bool)
    generator = torch.Generator().manual_seed(0)
    for _ in range(TRIALS if len(telling) >= FITTED else 0):
        few = telling[torch.randperm(len(telling), generator=generator, device="cpu")[:FITTED]]
        fits = _fitting(one, few, ROUNDING * deviation * one.counts)
        found = torch.zeros(len(ways), dtype=torch.long).index_add_(0, places, fits.long()) > 0
        best = max(best, found, key=lambda values: int(values.sum()))
        if bool(best.all()):
            break
    others = int(best.sum()) - FITTED  # four fit by themselves, and may hold most of the rows
    return best if others >= MOSTLY * (len(best) - FITTED) else torch.zeros_like(best)


def _ways(count: int, total: int) -> list[int]:
    largest = math.gcd(count, total)
    return [parts for parts in range(largest, 0, -1) if largest % parts == 0][:MOST_PARTS]


def _fitting(one: SameValue, few: torch.Tensor, rounding: torch.Tensor) -> torch.Tensor:
    """Which of all ways fit the equation that these few give, and then those that fit it."""
    design = one.design
    solved = solved_for(design[few], one.sums[few])
    for times in LOOSE:
        fits = (one.sums - design @ solved).abs() <= times * rounding
        if int(fits.sum()) >= LEAST_FITTED:
            solved = solved_for(design[fits], one.sums[fits])
    fitting: torch.Tensor = (one.sums - design @ solved).abs() <= rounding
    return fitting
