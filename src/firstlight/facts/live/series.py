"""A stream of numbers in bounded room: the first ones, the last ones, and means of everything in between."""

import math
from collections import deque
from statistics import median

FIRST = 16
RECENT = 128
SHORT = 16
LAST = 4
MOST_BLOCKS = 64


class Series:
    """Only finite numbers; what is not finite is the business of others."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[float] = []
        self.recent: deque[float] = deque(maxlen=RECENT)
        self.blocks: list[float] = []
        """Means of stretches of equal length, oldest first; never more than `MOST_BLOCKS`."""
        self.span = 4
        """Length of a stretch; doubles when there would be too many."""
        self._sum, self._held = 0.0, 0
        """Of the stretch under way."""

    def add(self, value: float | None) -> None:
        if value is None or not math.isfinite(value):
            return
        self.count += 1
        if len(self.first) < FIRST:
            self.first.append(value)
        self.recent.append(value)
        self._sum, self._held = self._sum + value, self._held + 1
        if self._held >= self.span:
            self.blocks.append(self._sum / self._held)
            self._sum, self._held = 0.0, 0
            if len(self.blocks) > MOST_BLOCKS:
                self.blocks = [(a + b) / 2 for a, b in zip(self.blocks[::2], self.blocks[1::2], strict=False)]
                self.span *= 2

    @property
    def start(self) -> float:
        return median(self.first) if self.first else math.nan

    @property
    def level(self) -> float:
        """Where it is now."""
        tail = list(self.recent)[-SHORT:]
        return median(tail) if tail else math.nan

    @property
    def lately(self) -> float:
        """The same over the very last ones."""
        return middle(list(self.recent)[-LAST:])

    @property
    def best(self) -> float:
        """The lowest stretch so far."""
        return min(self.blocks) if self.blocks else self.level

    @property
    def fell(self) -> float:
        """Share by which it has come down from the first half of the recent ones."""
        earlier = middle(list(self.recent)[: len(self.recent) // 2])
        return (earlier - self.level) / abs(earlier) if earlier and math.isfinite(earlier) else 0.0


def middle(values: list[float]) -> float:
    return median(values) if values else math.nan
