"""Histograms and predictions over steps."""

import sys
from collections.abc import Mapping
from typing import Any

from firstlight.records.chronicle import Answer, Predictions, Spread

MOST_STEPS = 48
MOST_EXAMPLES = 24
MOST_SPREADS = 16
LONGEST_WORD = 60

Line = Mapping[str, Any]


class Examples:
    """What was said of the same examples, at each look."""

    def __init__(self) -> None:
        self._steps: dict[int, dict[str, tuple[str, str, float | None]]] = {}

    def add(self, line: Line) -> None:
        step, rows = line.get("step"), line.get("rows")
        if not isinstance(step, int) or not isinstance(rows, list):
            return
        self._steps[step] = {
            _word(row[0]): (_word(row[1]), _word(row[2]), _confidence(row))
            for row in rows[:MOST_EXAMPLES]
            if isinstance(row, list) and len(row) >= 3
        }
        if len(self._steps) > 2 * MOST_STEPS:
            self._steps = dict(list(self._steps.items())[::2])

    def done(self) -> Predictions:
        stride = -(-len(self._steps) // MOST_STEPS) or 1
        looks = sorted(self._steps.items())[::stride]
        names = list(dict.fromkeys(name for _, rows in looks for name in rows))[:MOST_EXAMPLES]
        nothing = ("", "", None)
        return Predictions(
            steps=tuple(step for step, _ in looks),
            answers=tuple(
                Answer(
                    example=name,
                    truth=next(rows[name][0] for _, rows in looks if name in rows),
                    said=tuple(rows.get(name, nothing)[1] for _, rows in looks),
                    confidence=tuple(rows.get(name, nothing)[2] for _, rows in looks),
                )
                for name in names
            ),
        )


class Histograms:
    """Tensors whose bins stay the same from look to look; where they change, the latest bins are kept."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[list[float], dict[int, list[float]]]] = {}

    def add(self, line: Line) -> None:
        key = (_word(line.get("kind")), _word(line.get("name")))
        step, edges, counts = line.get("step"), _numbers(line.get("bins")), _numbers(line.get("counts"))
        if not isinstance(step, int) or edges is None or counts is None:
            return
        if len(edges) != len(counts) + 1 or (key not in self._found and len(self._found) >= MOST_SPREADS):
            return
        known, looks = self._found.get(key, (edges, {}))
        looks = looks if known == edges else {}
        total = sum(counts) or 1
        looks[step] = [count / total for count in counts]
        if len(looks) > 2 * MOST_STEPS:
            looks = dict(list(looks.items())[::2])
        self._found[key] = (edges, looks)

    def done(self) -> tuple[Spread, ...]:
        return tuple(
            Spread(
                name=name,
                kind=kind,
                edges=tuple(edges),
                steps=tuple(sorted(looks))[:: -(-len(looks) // MOST_STEPS)],
                shares=tuple(tuple(looks[step]) for step in sorted(looks)[:: -(-len(looks) // MOST_STEPS)]),
            )
            for (kind, name), (edges, looks) in self._found.items()
        )


def _numbers(raw: Any) -> list[float] | None:
    """None for anything but a list of finite numbers."""
    if not isinstance(raw, list) or not all(type(item) in (int, float) for item in raw):
        return None
    if not all(abs(item) <= sys.float_info.max for item in raw):
        return None
    return raw


def _word(raw: Any) -> str:
    return str(raw)[:LONGEST_WORD]


def _confidence(row: list[Any]) -> float | None:
    return float(row[3]) if len(row) > 3 and isinstance(row[3], int | float) else None
