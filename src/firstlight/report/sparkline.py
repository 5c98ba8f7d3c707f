"""A curve in one line of text."""

import math
from collections.abc import Sequence

LEVELS = "▁▂▃▄▅▆▇█"
BROKEN = "×"
"""A stretch with a value that is not finite."""


def sparkline(values: Sequence[float], width: int) -> str:
    """The last value of each stretch; what is not finite is shown wherever it is, however short."""
    columns = [_stretch(values, place, width) for place in range(min(width, len(values)))]
    finite = [column[-1] for column in columns if all(map(math.isfinite, column))]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    return "".join(_mark(column, low, high) for column in columns)


def _stretch(values: Sequence[float], place: int, width: int) -> Sequence[float]:
    columns = min(width, len(values))
    return values[place * len(values) // columns : (place + 1) * len(values) // columns]


def _mark(column: Sequence[float], low: float, high: float) -> str:
    if not all(map(math.isfinite, column)):
        return BROKEN
    if high == low:
        return LEVELS[0]
    share = (column[-1] / 2 - low / 2) / (high / 2 - low / 2)  # halves: the whole range may overflow
    return LEVELS[min(len(LEVELS) - 1, int(share * len(LEVELS)))]
