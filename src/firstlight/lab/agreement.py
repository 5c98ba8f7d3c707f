"""Does a metric get better while the loss falls? Where it stands or gets worse, the two do not ask for the same."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Literal, NamedTuple

from firstlight.errors import UsageError
from firstlight.lab.metric import Metric, choose
from firstlight.observe.printed import MOST_VALUES
from firstlight.records.trials import FinishedRun

LEAST_VALUES = 4
"""Of a metric, for a trend to mean anything."""
FALLS = 0.1
"""Share of what the loss gained by its end that must lie after the first value of the metric."""
TREND = 0.4
"""Kendall's tau of a metric over its course, from which on it moves, either way."""
NEARLY_PERFECT = 0.95
"""A score that begins as high has nowhere to go."""

Course = Literal["agrees", "stands", "parts"]


class Agreement(NamedTuple):
    metric: Metric
    first: float
    last: float
    course: Course
    """`stands` where the metric does not move while the loss falls, `parts` where it gets worse."""


def agreement(losses: Sequence[float], told: Mapping[str, Sequence[float]]) -> Agreement | None:
    """Of the likeliest metric among the numbers a program told; None where it tells too little, or the loss stays."""
    metric = _metric(told)
    values = told[metric.name] if metric is not None else ()
    whole = LEAST_VALUES <= len(values) < MOST_VALUES  # of more, only the last are known
    if metric is None or not whole or len(losses) < len(values):
        return None
    if not _falls(losses, len(values)) or _nearly_perfect(metric, values[0]):
        return None
    trend = tau(values) if metric.higher else -tau(values)
    course: Course = "agrees" if trend >= TREND else "parts" if trend <= -TREND else "stands"
    third = max(1, len(values) // 3)
    return Agreement(metric, median(values[:third]), median(values[-third:]), course)


def tau(values: Sequence[float]) -> float:
    """Kendall's: of all pairs, how many more rise than fall, as a share."""
    signs = [(later > earlier) - (later < earlier) for earlier, later in combinations(values, 2)]
    return fmean(signs) if signs else 0.0


def _nearly_perfect(metric: Metric, value: float) -> bool:
    return NEARLY_PERFECT <= (value if metric.higher else 1 - value) <= 1


def _metric(told: Mapping[str, Sequence[float]]) -> Metric | None:
    """One that is no loss: a score or an error that the program has beside it."""
    named = {name: tuple(values) for name, values in told.items() if "loss" not in name.lower()}
    try:
        found = choose([FinishedRun(name="", seed=0, values=named)], None, None)
    except UsageError:
        return None
    return None if found.assumed else found


def _falls(losses: Sequence[float], parts: int) -> bool:
    """Still, after the first of so many parts of its course."""
    size = len(losses) / parts
    means = [fmean(losses[round(at * size) : round((at + 1) * size)]) for at in range(parts)]
    return means[0] - means[-1] > FALLS * abs(losses[0] - means[-1])
