"""What the batches hold, stretch by stretch: classes and sizes of numbers in random order look alike everywhere."""

import math
from collections import Counter, deque
from collections.abc import Mapping
from statistics import median

from firstlight.facts.live.series import RECENT
from firstlight.records.live import InputTrack, LabelTrack
from firstlight.records.telemetry import StepRow

BATCHES = 50
"""A stretch."""
MOST_CLASSES = 100
"""More, and the numbers are hardly classes."""
LATELY = 8
"""Batches in a row that make a change."""
LEAST_EACH = 5
"""Labels of a class that a stretch should hold for the test to be right."""


class LabelWindow:
    def __init__(self) -> None:
        self._before: Counter[int] = Counter()
        self._recent: deque[Mapping[int, int]] = deque(maxlen=BATCHES)
        self._batches = 0
        self._off = False
        """These are no classes."""

    def add(self, labels: Mapping[int, int]) -> None:
        if self._off or not labels:
            return
        if len(self._recent) == BATCHES:
            self._before.update(self._recent[0])
        self._recent.append(labels)
        self._batches += 1
        self._off = len(self._before) > MOST_CLASSES

    def fact(self, row: StepRow, rank: int) -> LabelTrack | None:
        """Only of classes that are numbered from 0 without a gap: other whole numbers are lengths, ids or times."""
        if self._off or self._batches < 2 * BATCHES:
            return None
        now, classes = self._now(), self._classes()
        if not classes:
            return None
        shares = {each: (now[each] / now.total(), self._before[each] / self._before.total()) for each in classes}
        return LabelTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            batches=self._batches,
            classes=len(classes),
            apart=sum(abs(a - b) for a, b in shares.values()) / 2,
            chance=homogeneous(now, self._before),
            alone=sum(len(labels) == 1 for labels in self._recent) / len(self._recent),
            commonest=max(classes, key=lambda each: shares[each][0] - shares[each][1]),
        )

    def mixture(self) -> tuple[float, ...]:
        """The share of each class so far; empty where there are none to speak of."""
        counts, classes = self._before + self._now(), self._classes()
        return () if self._off else tuple(counts[each] / counts.total() for each in classes)

    def _now(self) -> Counter[int]:
        now: Counter[int] = Counter()
        for labels in self._recent:
            now.update(labels)
        return now

    def _classes(self) -> list[int]:
        """Empty where the numbers are not counted from 0 without a gap."""
        classes = sorted({each for labels in (self._before, *self._recent) for each in labels})
        return classes if classes == list(range(len(classes))) and len(classes) > 1 else []


class InputWindow:
    """How large the numbers of the inputs are, batch by batch."""

    def __init__(self) -> None:
        self._sizes: deque[float] = deque(maxlen=RECENT)
        self._batches = 0

    def add(self, size: float | None) -> None:
        if size is not None and math.isfinite(size) and size > 0:
            self._sizes.append(size)
            self._batches += 1

    def fact(self, row: StepRow, rank: int) -> InputTrack | None:
        if len(self._sizes) < 2 * LATELY:
            return None
        sizes = list(self._sizes)
        return InputTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            batches=self._batches,
            usual=median(sizes[:-LATELY]),
            least=min(sizes[-LATELY:]),
            most=max(sizes[-LATELY:]),
        )


def homogeneous(one: Counter[int], other: Counter[int]) -> float:
    """How likely two samples differ so much if both are of one kind: the likelihood ratio, as a chi-squared number.

    Classes too rare for the test are left out. Wilson and Hilferty's cube root turns the number into a normal one.
    """
    total = one.total() + other.total()
    kept = [each for each in one.keys() | other.keys() if (one[each] + other[each]) * one.total() / total >= LEAST_EACH]
    if len(kept) < 2:
        return 1.0
    statistic = 0.0
    for sample in (one, other):
        for each in kept:
            expected = (one[each] + other[each]) * sample.total() / total
            statistic += 2 * sample[each] * math.log(sample[each] / expected) if sample[each] else 0.0
    freedom = len(kept) - 1
    cube = (max(statistic, 0.0) / freedom) ** (1 / 3)
    z = (cube - (1 - 2 / (9 * freedom))) / math.sqrt(2 / (9 * freedom))
    return 0.5 * math.erfc(z / math.sqrt(2))
