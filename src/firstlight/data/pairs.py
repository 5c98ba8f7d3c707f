"""Two columns that give the target away together and neither alone: one was computed from the target and the other, and
their difference, sum, product or ratio undoes it."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from firstlight.data import statistics
from firstlight.data.matrix import Design
from firstlight.data.statistics import TargetValues

MOST_COLUMNS = 60
"""Of more, those with the strongest simple relation to the target."""
QUICK_ROWS = 1000
TRIED = 3
"""Pairs, of all, whose skill is measured on rows not learnt from."""
RELATED = 0.5
"""Correlation of ranks from which on one column may be made from the other. Two inputs that merely decide the target
together, such as the summands of an exercise, have none."""
SIGNS = {"-": np.subtract, "+": np.add, "*": np.multiply, "/": np.divide}


@dataclass(frozen=True, slots=True)
class ColumnPair:
    one: str
    two: str
    how: str

    def __str__(self) -> str:
        return f"`{self.one}` {self.how} `{self.two}`"


def strongest_pair(inputs: Design, target: TargetValues) -> tuple[ColumnPair, float] | None:
    """The pair whose function knows most of the target, and its skill on rows not learnt from."""
    single = [place for place, owner in enumerate(inputs.owners) if inputs.owners.count(owner) == 1]
    kept = statistics.screened(inputs.values[:, single], target, MOST_COLUMNS) if single else []
    every = max(1, len(target.values) // QUICK_ROWS)
    quick = TargetValues(target.values[::every], target.classes)
    scored = _scored(inputs.values[::every], [single[place] for place in kept], quick)
    best = sorted(scored, key=lambda each: -each[0])[:TRIED]
    tried = [
        (
            ColumnPair(inputs.owners[one], inputs.owners[two], how),
            statistics.skill_alone(_together(inputs.values, one, two, how), target),
        )
        for _, one, two, how in best
    ]
    return max(tried, key=lambda each: each[1], default=None)


def _scored(values: Any, places: list[int], target: TargetValues) -> Iterator[tuple[float, int, int, str]]:
    from scipy import stats

    with np.errstate(all="ignore"):
        ranks = [stats.rankdata(values[:, place]) for place in places]
        related = np.atleast_2d(np.corrcoef(ranks)) if ranks else np.empty((0, 0))
    for (at, one), (other, two) in itertools.combinations(enumerate(places), 2):
        if abs(related[at, other]) >= RELATED:
            for first, second, how in [*((one, two, how) for how in SIGNS), (two, one, "/")]:
                yield _knows(_together(values, first, second, how), target), first, second, how


def _together(values: Any, one: int, two: int, how: str) -> Any:
    left, right = values[:, one].astype(np.float64), values[:, two].astype(np.float64)
    with np.errstate(all="ignore"):
        return np.nan_to_num(SIGNS[how](left, right), nan=0.0, posinf=0.0, neginf=0.0).astype(np.float32)


def _knows(column: Any, target: TargetValues) -> float:
    """Share of what varies in the ranks of the column that goes with the target."""
    from scipy import stats

    ranks = stats.rankdata(column)
    if not target.classes:
        with np.errstate(all="ignore"):
            return float(np.nan_to_num(np.corrcoef(ranks, target.values)[0, 1] ** 2))
    total, counts = float(np.var(ranks)), np.bincount(target.values)
    means = np.bincount(target.values, weights=ranks) / np.maximum(counts, 1)
    return float(np.average(np.square(means - ranks.mean()), weights=counts) / total) if total else 0.0
