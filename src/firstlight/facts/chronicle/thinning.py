"""Series of any length in bounded memory."""

import math
from collections.abc import Iterator

MOST_POINTS = 1200
"""About what a wide screen can tell apart."""
GROUP = 4
MOST_BROKEN = 40
"""Values that are not finite and are kept whatever is thinned; one of them would tell the story."""
MOST_CELLS = 6000
"""Of a grid: with many rows it has fewer columns."""

Point = tuple[float, float]


class Thinned:
    """Of every group of neighbours the lowest and the highest stay, so that no spike is ever lost."""

    def __init__(self, most: int = MOST_POINTS) -> None:
        self._most = most
        self._points: list[Point] = []

    def add(self, x: float, y: float) -> None:
        self._points.append((x, y))
        if len(self._points) > 2 * self._most:
            self._points = _thin(self._points)

    @property
    def points(self) -> list[Point]:
        found = self._points
        while len(found) > self._most + 2 * MOST_BROKEN + 2:
            found = _thin(found)
        return found

    def __len__(self) -> int:
        return len(self._points)


def _thin(points: list[Point]) -> list[Point]:
    """The first and the last point stay as they are."""
    broken = 0
    kept = [points[0]]
    for start in range(1, len(points) - 1, GROUP):
        for point in _telling(points[start : min(start + GROUP, len(points) - 1)]):
            broken += not math.isfinite(point[1])
            if math.isfinite(point[1]) or broken <= MOST_BROKEN:
                kept.append(point)
    return [*kept, points[-1]]


def _telling(group: list[Point]) -> Iterator[Point]:
    finite = [point for point in group if math.isfinite(point[1])]
    extremes = {min(finite, key=_height), max(finite, key=_height)} if finite else set()
    broken = next((point for point in group if not math.isfinite(point[1])), None)
    yield from (point for point in group if point in extremes or point is broken)


def _height(point: Point) -> float:
    return point[1]


class Columns:
    """Rows measured at the same steps. When there are too many steps, every other one is let go."""

    def __init__(self, most_steps: int = 96, most_rows: int = 160) -> None:
        self._most_steps, self._most_rows = most_steps, most_rows
        self._steps: dict[int, dict[str, float]] = {}
        self._rows: dict[str, None] = {}
        self.left_out: set[str] = set()

    def add(self, step: int, row: str, value: float) -> None:
        if row not in self._rows and len(self._rows) >= self._most_rows:
            self.left_out.add(row)
            return
        self._rows[row] = None
        self._steps.setdefault(step, {})[row] = value
        if len(self._steps) > 2 * self._most_steps:
            self._steps = dict(list(self._steps.items())[::2])

    @property
    def rows(self) -> list[str]:
        return list(self._rows)

    @property
    def steps(self) -> list[tuple[int, dict[str, float]]]:
        most = min(self._most_steps, max(1, MOST_CELLS // max(1, len(self._rows))))
        stride = math.ceil(len(self._steps) / most) or 1
        return sorted(self._steps.items())[::stride]
