"""The shape of one logged curve, by medians: single outliers do not make a trend."""

import math
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

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
    highest_spikes: int
    """Those of them that rise above where the curve began."""
    jump: float
    """The largest sudden and lasting rise: the level after a point over the level before it; 1 where there is none."""
    jump_at: int
    """The point at which that is."""
    distinct: int

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
    spikes, (jump, jump_at) = _spikes(values, smooth), _jump(values)
    return Trend(
        points=len(values),
        first=median(values[: max(1, edge // 2)]),
        last=median(values[-edge:]),
        lowest=smooth[lowest],
        lowest_at=lowest / max(1, len(smooth) - 1),
        quarters=tuple(median(_slice(values, quarter)) for quarter in range(4)),
        swing=median(map(abs, steps)) / size if steps else 0.0,
        turns=sum(a * b < 0 for a, b in pairwise(steps)) / max(1, len(steps) - 1),
        spikes=len(spikes),
        highest_spikes=sum(spike > values[0] for spike in spikes),
        jump=jump,
        jump_at=jump_at,
        distinct=len(set(values)),
    )


def _slice(values: list[float], quarter: int) -> list[float]:
    begin = quarter * len(values) // 4
    return values[begin : max(begin + 1, (quarter + 1) * len(values) // 4)]


def _smooth(values: list[float]) -> list[float]:
    """Running medians; of long curves, of blocks, so that the cost stays with the length of the curve."""
    width = max(1, len(values) // 400)
    blocks = [median(values[begin : begin + width]) for begin in range(0, len(values), width)]
    reach = min(AROUND, len(blocks) // 10)
    return [median(blocks[max(0, at - reach) : at + reach + 1]) for at in range(len(blocks))]


def _jump(values: list[float]) -> tuple[float, int]:
    """By medians of as many points before as after, and only where one step makes most of it."""
    width, found = max(AROUND, len(values) // 40), (1.0, 0)
    for at in range(width, len(values) - width):
        if not 0 < 2 * values[at - 1] < values[at] + values[at - 1]:
            continue
        before, after = median(values[at - width : at]), median(values[at : at + width])
        if before > 0 and after / before > found[0] and values[at] - values[at - 1] > (after - before) / 2:
            found = (after / before, at)
    return found


def _spikes(values: list[float], smooth: list[float]) -> list[float]:
    """The running median is above a lasting rise, so only what comes back counts."""
    width = max(1, len(values) // 400)
    found = []
    for at, (before, after) in enumerate(pairwise(values), start=1):
        level = smooth[min(at // width, len(smooth) - 1)]
        if level > 0 and after > SPIKE * level and before <= SPIKE * level:
            found.append(after)
    return found
