"""The shape of one logged curve, by medians: single outliers do not make a trend."""

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, median

from firstlight.records.curves import Curve

EDGE = 0.1
"""Share of the points at either end whose median stands for it."""
AROUND = 5
"""Points on either side that a single point is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trend:
    """All numbers are of the finite points."""

    points: int
    first: float
    last: float
    lowest: float
    """Of the running medians."""
    lowest_at: float
    """Where that is, as a share of the run."""
    quarters: tuple[float, ...]
    """Medians of the four quarters, in order."""
    swing: float
    """Median step from one point to the next, over the size of the curve."""
    turns: float
    """Share of the points at which the curve turns round; 2/3 for noise without a trend."""
    spikes: int
    """Points more than `SPIKE` times their neighbours', which recover."""
    distinct: int
    jump: float
    """The most times its level a little before that the level of a little after is, and stays: no spike."""
    halves: tuple[float, float]
    """Means of the two halves, which see through a curve that swings about its level."""

    @property
    def lost(self) -> float:
        """Share of the first value that was lost."""
        return (self.first - self.last) / abs(self.first) if self.first else 0.0


SPIKE = 3.0


def trend(curve: Curve) -> Trend | None:
    """None where no point is finite."""
    values = [value for value in curve.values if math.isfinite(value)]
    if not values:
        return None
    edge = max(1, round(EDGE * len(values)))
    smooth = _smooth(values)
    lowest = min(range(len(smooth)), key=smooth.__getitem__)
    steps = [b - a for a, b in pairwise(values)]
    size = median(map(abs, values)) or 1.0
    return Trend(
        points=len(values),
        first=median(values[: max(1, edge // 2)]),
        last=median(values[-edge:]),
        lowest=smooth[lowest],
        lowest_at=lowest / max(1, len(smooth) - 1),
        quarters=tuple(median(_slice(values, quarter)) for quarter in range(4)),
        swing=median(map(abs, steps)) / size if steps else 0.0,
        turns=sum(a * b < 0 for a, b in pairwise(steps)) / max(1, len(steps) - 1),
        spikes=_spikes(values, smooth),
        distinct=len(set(values)),
        jump=_jump(smooth),
        halves=(fmean(values[: len(values) // 2 + 1]), fmean(values[len(values) // 2 :])),
    )


def _jump(smooth: list[float]) -> float:
    """Of running medians: what lasts longer than they reach."""
    pairs = zip(smooth, smooth[AROUND:], strict=False)
    return max((after / before for before, after in pairs if before > 0), default=0.0)


def _slice(values: list[float], quarter: int) -> list[float]:
    begin = quarter * len(values) // 4
    return values[begin : max(begin + 1, (quarter + 1) * len(values) // 4)]


def _smooth(values: list[float]) -> list[float]:
    """Running medians; of long curves, of blocks, so that the cost stays with the length of the curve."""
    width = max(1, len(values) // 400)
    blocks = [median(values[begin : begin + width]) for begin in range(0, len(values), width)]
    reach = min(AROUND, len(blocks) // 10)
    return [median(blocks[max(0, at - reach) : at + reach + 1]) for at in range(len(blocks))]


def _spikes(values: list[float], smooth: list[float]) -> int:
    """The running median is above a lasting rise, so only what comes back counts."""
    width = max(1, len(values) // 400)
    found = 0
    for at, (before, after) in enumerate(pairwise(values), start=1):
        level = smooth[min(at // width, len(smooth) - 1)]
        found += level > 0 and after > SPIKE * level and before <= SPIKE * level
    return found
