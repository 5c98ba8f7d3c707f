"""The course of the loss and of the gradients."""

import math
from collections import deque
from dataclasses import dataclass
from statistics import fmean, median

from firstlight.facts.live import robust
from firstlight.facts.live.series import RECENT, Series
from firstlight.records.live import GradientTrack, LossTrack
from firstlight.records.telemetry import StepRow

STRETCHES = 16
SPIKE = 12.0
"""Robust deviations: healthy heavy-tailed noise passes six every few hundred steps, and twelve almost never."""
SPIKES_OVER = 1000
JUST_NOW = 5
LEAP = 50.0
"""Times the norm of the step before: no noise leaps so far."""
CALM = 10.0
"""Times the usual norm, below which a leap is over once the last few all are."""


class Rates:
    """What the learning rate does to the meaning of other numbers."""

    def __init__(self) -> None:
        self.highest = 0.0
        self.now: float | None = None
        self._rose_at = -RECENT
        self._step = 0

    def add(self, lr: float | None) -> None:
        self._step += 1
        if lr is None or not math.isfinite(lr):
            return
        if self.now is not None and lr > self.now:
            self._rose_at = self._step
        self.now, self.highest = lr, max(self.highest, lr)

    @property
    def warming(self) -> bool:
        return self._step - self._rose_at < RECENT

    @property
    def share(self) -> float:
        return self.now / self.highest if self.now is not None and self.highest > 0 else 1.0


class Losses:
    def __init__(self) -> None:
        self.series = Series()
        self._positive = True
        self._same = 0
        self._last: float | None = None
        self._spikes: deque[int] = deque()
        """Steps."""
        self._logs: deque[float] = deque(maxlen=RECENT)
        self._steps: deque[tuple[int, bool]] = deque(maxlen=RECENT)
        """Of each of those losses its step, and whether its gradient was clipped."""
        self.leaps = False
        """The last loss may turn out to be a spike."""
        self.negated: str | None = None
        """The loss function whose negative is trained on, as the graph shows; None where none is."""
        self._best, self._best_at = math.inf, 0

    def add(self, row: StepRow) -> None:
        loss = row.loss
        if loss is None or not math.isfinite(loss):
            return
        self._same = self._same + 1 if loss == self._last else 1
        self._last = loss
        self._positive &= loss >= 0
        self._watch_spikes(row, loss)
        self.series.add(loss)
        if self.series.best < self._best:
            self._best, self._best_at = self.series.best, self.series.count

    def _watch_spikes(self, row: StepRow, loss: float) -> None:
        """A candidate is judged when its neighbours on both sides are known."""
        while self._spikes and self._spikes[0] < row.step - SPIKES_OVER:
            self._spikes.popleft()
        self.leaps = False
        if loss <= 0 or not self._positive:
            return
        self._logs.append(math.log(loss))
        self._steps.append((row.step, row.clip_coef is not None and row.clip_coef < 1))
        if len(self._logs) < RECENT // 2:
            return
        self.leaps = loss > self.series.start and self._stands_out(self._logs[-1])
        if self.series.count % 4:
            return
        around, sigma = self._usual()
        suspects = list(zip(self._logs, self._steps, strict=True))[-8:-4]
        back = median(list(self._logs)[-4:]) - around < SPIKE / 4 * sigma
        high = [(value, step) for value, (step, cut) in suspects if not cut and self._stands_out(value)]
        if back and high and math.exp(max(high)[0]) > self.series.start:
            self._spikes.append(max(high)[1])

    def _usual(self) -> tuple[float, float]:
        """Of the logarithms: their middle, and how far they scatter."""
        logs = list(self._logs)
        return median(logs), max(robust.spread(logs), 1e-3)

    def _stands_out(self, value: float) -> bool:
        around, sigma = self._usual()
        return value - around > SPIKE * sigma

    def fact(self, row: StepRow, rank: int, rates: Rates, setting: tuple[int, bool]) -> LossTrack | None:
        """`setting`: optimizers of the run, and whether a loader feeds it."""
        series = self.series
        if series.count < STRETCHES:
            return None
        recent = list(series.recent)
        size = max(1, len(recent) // STRETCHES)
        trend = tuple(fmean(recent[i : i + size]) for i in range(0, size * STRETCHES, size))
        return LossTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            steps=series.count,
            start=series.start,
            best=series.best,
            level=series.level,
            noise=robust.spread(recent),
            trend=trend,
            rising=robust.rising(trend),
            flips=robust.flips(recent),
            same=self._same,
            spikes=len(self._spikes),
            spiked_at=tuple(self._spikes),
            since_best=series.count - self._best_at,
            positive=self._positive,
            negated=self.negated,
            rivals=setting[0],
            fed=setting[1],
            warming=rates.warming,
            lr_share=rates.share,
        )


@dataclass(slots=True)
class Leap:
    """Gradients that were suddenly far larger than usual."""

    step: int
    norm: float
    usual: float
    calm: int = 0
    """Steps in a row since then whose norm was near the usual one."""


class Gradients:
    def __init__(self) -> None:
        self.series = Series()
        self._piled = 0
        self.leap: Leap | None = None
        """The last one, until the gradients are back."""
        self.leaps = False
        """It is that of the last step: the windows are judged at once."""

    def add(self, row: StepRow) -> None:
        norm = row.clip_norm if row.clip_norm is not None else row.grad_norm
        self._watch_leap(row.step, norm or 0.0)
        self.series.add(norm or None)
        self._piled = self._piled + 1 if row.piled else 0

    def _watch_leap(self, step: int, norm: float) -> None:
        recent, leap = self.series.recent, self.leap
        self.leaps = len(recent) > STRETCHES and norm > LEAP * recent[-1]
        if leap is not None:
            leap.calm = leap.calm + 1 if norm < CALM * leap.usual else 0
            self.leap = leap = leap if leap.calm < JUST_NOW else None
        if self.leaps and leap is None:
            self.leap = Leap(step, norm, median(recent))

    def fact(self, row: StepRow, rank: int, rates: Rates, module: str | None) -> GradientTrack | None:
        series = self.series
        if series.count < 2 * STRETCHES:
            return None
        recent = list(series.recent)
        return GradientTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            steps=series.count,
            start=series.start,
            usual=median(recent[:-JUST_NOW]),
            level=median(recent[-JUST_NOW:]),
            piled=self._piled,
            warming=rates.warming,
            module=module,
            leapt_at=self.leap.step if self.leap is not None else None,
            leapt_to=self.leap.norm if self.leap is not None else 0.0,
        )
