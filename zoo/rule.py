"""When a program counts as healthy, and when a mutant counts as one that is really worse.

A mutant is kept if its best run is worse than the worst healthy run by more than the margin. The margin is the spread
between the healthy runs, and at least `FLOOR` of the distance between what the program reaches and chance. A metric
that is not a number is worse than any number. A mutation that leaks is kept, by the same margin, if its worst run is
better than the best healthy one. A mutant that crashes, prints no metric or runs out of time is not a silent fault:
it is refused.

A program is healthy if its worst run is at least `WAY` of the way from chance to what it claims to reach, and its
mean is as near to that claim as the spread between its runs and `TOLERANCE` of that distance allow.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from zoo.records import Metric
from zoo.running import Outcome

FLOOR = 0.05
WAY = 0.5
TOLERANCE = 0.15
SEEDS = (0, 1)
"""Every program and every mutant is run with these; 0 is the program as it stands."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the rule says, and in a few words why."""

    kept: bool
    why: str


def rule_on_program(metric: Metric, runs: Sequence[Outcome]) -> Ruling:
    for run in runs:
        if run.ending != "number":
            return Ruling(False, run.ending)
    good = [_goodness(metric, run) for run in runs]
    distance = _distance(metric)
    if min(good) < _sign(metric) * metric.chance + WAY * distance:
        return Ruling(False, "too near to chance")
    if abs(fmean(good) - _sign(metric) * metric.reaches) > _spread(good) + TOLERANCE * distance:
        return Ruling(False, "does not reach what it claims")
    return Ruling(True, "healthy")


def rule_on_mutant(metric: Metric, leaks: bool, healthy: Sequence[Outcome], mutant: Sequence[Outcome]) -> Ruling | None:
    """None as long as the runs of the mutant may still turn out either way, which is until all seeds were run.

    A refusal is told as soon as it is certain: no further run can make the best run worse.
    """
    for run in mutant:
        if run.ending not in ("number", "not-a-number") or (leaks and run.ending == "not-a-number"):
            return Ruling(False, run.ending)
    if not mutant:
        return None
    good = [_goodness(metric, run) for run in healthy]
    margin = max(_spread(good), FLOOR * _distance(metric))
    reached = [_goodness(metric, run) for run in mutant]
    gap = min(reached) - max(good) if leaks else min(good) - max(reached)
    if not gap > margin:
        return Ruling(False, "not better than it should be" if leaks else "not worse by the margin")
    if len(mutant) < len(SEEDS):
        return None
    return Ruling(True, "better than it should be" if leaks else "worse")


def _goodness(metric: Metric, run: Outcome) -> float:
    """The metric with its sign turned so that more is better."""
    return -math.inf if run.metric is None else _sign(metric) * run.metric


def _sign(metric: Metric) -> int:
    return 1 if metric.better == "higher" else -1


def _distance(metric: Metric) -> float:
    return abs(metric.reaches - metric.chance)


def _spread(values: Sequence[float]) -> float:
    return max(values) - min(values)
