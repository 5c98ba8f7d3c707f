"""Series of any length in bounded memory."""

import math
from collections.abc import Sequence

MOST_POINTS = 1200
"""About what a wide screen can tell apart."""
MOST_BROKEN = 40
"""Values that are not finite and are kept whatever is thinned; one of them would tell the story."""
MOST_CELLS = 6000
"""Of a grid: with many rows it has fewer columns."""

Point = tuple[float, float]
Stretch = list[Point]
"""What is left of some neighbours: the lowest, the highest and the first that is not finite, in their order."""


class Thinned:
    """Of every stretch of neighbours the lowest and the highest stay, so that no spike is ever lost.

    When there are too many stretches, neighbours are joined and the next ones are made twice as long: a point is looked
    at when it comes, and later only where it is an extreme. The first and the last point stand outside.
    """

    def __init__(self, most: int = MOST_POINTS) -> None:
        self._most = most
        self._first: list[Point] = []
        self._stretches: list[Stretch] = []
        self._length = 1
        self._x: list[float] = []
        self._y: list[float] = []
        self._closed = 0

    def add(self, x: float, y: float) -> None:
        self._x.append(x)
        self._y.append(y)
        if len(self._y) > self._length:
            self._close()

    def _close(self) -> None:
        """All but the last point, which may be the last of all."""
        xs, ys = self._x[:-1], self._y[:-1]
        self._closed += len(ys)
        del self._x[:-1], self._y[:-1]
        if not self._first:
            self._first = [(xs[0], ys[0])]
            return
        self._stretches.append(_telling(xs, ys))
        if len(self._stretches) > self._most:
            self._stretches = _joined(self._stretches)
            self._length *= 2

    @property
    def points(self) -> list[Point]:
        """In the order in which they came."""
        stretches = [*self._stretches, _telling(self._x[:-1], self._y[:-1])]
        while len(stretches) > 1 and sum(map(len, stretches)) > self._most:
            stretches = _joined(stretches)
        return [*self._first, *_few_broken(stretches), *zip(self._x[-1:], self._y[-1:], strict=True)]

    def __len__(self) -> int:
        return self._closed + len(self._y)


def _telling(xs: Sequence[float], ys: Sequence[float]) -> Stretch:
    if not ys:
        return []
    if math.isfinite(sum(ys)):
        places = {ys.index(min(ys)), ys.index(max(ys))}
    else:
        finite = [place for place, value in enumerate(ys) if math.isfinite(value)]
        places = {min(finite, key=ys.__getitem__), max(finite, key=ys.__getitem__)} if finite else set()
        places.add(next((place for place, value in enumerate(ys) if not math.isfinite(value)), 0))
    return [(xs[place], ys[place]) for place in sorted(places)]


def _joined(stretches: list[Stretch]) -> list[Stretch]:
    """Two and two; an odd one stays alone."""
    found = []
    for place in range(0, len(stretches), 2):
        points = [point for stretch in stretches[place : place + 2] for point in stretch]
        found.append(_telling([x for x, _ in points], [y for _, y in points]))
    return found


def _few_broken(stretches: list[Stretch]) -> list[Point]:
    points = [point for stretch in stretches for point in stretch]
    broken = [point for point in points if not math.isfinite(point[1])]
    late = {id(point) for point in broken[MOST_BROKEN:]}
    return [point for point in points if id(point) not in late]


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
