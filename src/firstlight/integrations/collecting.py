"""What every reader of a foreign log shares: limits on untrusted input, and the order of its points."""

import itertools
import os
from pathlib import Path

from firstlight.errors import UsageError
from firstlight.records.curves import Curve, Logged
from firstlight.store import plain_files

MOST_CURVES = 5_000
MOST_POINTS = 2_000_000
"""Of one curve. Beyond it a log is cut, and the report says so."""
MOST_POINTS_IN_ALL = 10_000_000
MOST_BYTES = 8 * 1024**3
LONGEST_NAME = 300


class Collector:
    """Points in any order become curves in the order of their steps."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.limits: dict[str, None] = {}
        self._points: dict[str, list[tuple[int, float]]] = {}
        self._count = 0

    def add(self, name: str, step: int, value: float) -> None:
        name = name[:LONGEST_NAME]
        points = self._points.get(name)
        if points is None:
            if len(self._points) >= MOST_CURVES:
                return self.limited(f"only the first {MOST_CURVES} curves were read")
            points = self._points[name] = []
        if len(points) >= MOST_POINTS or self._count >= MOST_POINTS_IN_ALL:
            return self.limited(f"only the first {len(points)} points of `{name}` were read")
        self._count += 1
        points.append((step, value))
        return None

    def limited(self, what: str) -> None:
        self.limits[what] = None

    def done(self) -> Logged:
        return Logged(
            origin=self.origin,
            curves=tuple(_curve(name, points) for name, points in self._points.items()),
            limits=tuple(self.limits),
        )


def _curve(name: str, points: list[tuple[int, float]]) -> Curve:
    """Logged twice at one step (a restarted run, a per-epoch mean beside it): the later one stands."""
    ordered = sorted(points, key=lambda point: point[0])
    last = [list(group)[-1] for _, group in itertools.groupby(ordered, key=lambda point: point[0])]
    return Curve(name=name, steps=tuple(step for step, _ in last), values=tuple(value for _, value in last))


def sized(path: Path) -> Path:
    """The file itself, once it is known to be there and not absurdly large."""
    with plain_files.opened(path, follow=True) as file:
        size = os.fstat(file.fileno()).st_size
    if size > MOST_BYTES:
        raise UsageError(f"{path} has {size / 1024**3:.1f} GiB; a log of more than {MOST_BYTES // 1024**3} is not read")
    return path
