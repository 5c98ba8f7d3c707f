"""A loss that falls as a power of the amount: `floor + scale * amount ** -slope`, with an interval by resampling."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

FLOORS = 60
"""Values of the floor that are tried."""
DRAWS = 200
"""Samples behind an interval."""
OUTER = 0.1
"""Share of them left out on either side."""
STEEPEST = 3.0
"""A slope beyond it is a floor that was reached, not a law."""


@dataclass(frozen=True, slots=True)
class PowerLaw:
    floor: float
    scale: float
    slope: float

    def at(self, amount: float) -> float:
        return self.floor + self.scale * math.pow(amount, -self.slope)


def fitted(amounts: Sequence[float], losses: Sequence[float]) -> PowerLaw | None:
    """The law with the least squared error; None where three amounts are not known, or the loss does not fall."""
    if len(set(amounts)) < 3 or not all(map(math.isfinite, losses)):
        return None
    low, span = min(losses), (max(losses) - min(losses)) or 1e-12
    floors = [low - span * 10 ** (-3 + 4 * place / FLOORS) for place in range(FLOORS)]
    if low > 0:  # a loss that was never negative is not expected to become so
        floors = [0.0, *(floor for floor in floors if floor > 0)]
    laws = [law for floor in floors if (law := _line(floor, amounts, losses)) is not None]
    return min(laws, key=lambda law: _error(law, amounts, losses), default=None)


def _line(floor: float, amounts: Sequence[float], losses: Sequence[float]) -> PowerLaw | None:
    xs, ys = [math.log(amount) for amount in amounts], [math.log(loss - floor) for loss in losses]
    centre, height = fmean(xs), fmean(ys)
    spread = sum((x - centre) ** 2 for x in xs)
    slope = -sum((x - centre) * (y - height) for x, y in zip(xs, ys, strict=True)) / spread
    if not 0.0 < slope <= STEEPEST:
        return None
    return PowerLaw(floor, math.exp(height + slope * centre), slope)


def _error(law: PowerLaw, amounts: Sequence[float], losses: Sequence[float]) -> float:
    return sum((law.at(amount) - loss) ** 2 for amount, loss in zip(amounts, losses, strict=True))


def predicted(
    amounts: Sequence[float], losses: Sequence[float], amount: float, errors: Sequence[float]
) -> tuple[float, float, float] | None:
    """The loss at another amount, and the bounds within which it lies; `errors` are those of each loss."""
    law = fitted(amounts, losses)
    if law is None:
        return None
    drawn = random.Random(0)
    found = []
    for _ in range(DRAWS):
        again = [loss + error * drawn.gauss(0.0, 1.0) for loss, error in zip(losses, errors, strict=True)]
        other = fitted(amounts, again)
        found.append(other.at(amount) if other is not None else min(again))
    found.sort()
    outer = int(OUTER * len(found))
    middle = law.at(amount)
    return middle, min(middle, found[outer]), max(middle, found[-1 - outer])
