"""The course of the loss and of the gradients."""

import math
from collections import deque
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
        self._logs: deque[float] = deque(maxlen=RECENT)
        self._cut: deque[bool] = deque(maxlen=RECENT)
        """Whether the gradient of each of those losses was clipped."""
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
        if loss <= 0 or not self._positive:
            return
        self._logs.append(math.log(loss))
        self._cut.append(row.clip_coef is not None and row.clip_coef < 1)
        if len(self._logs) < RECENT // 2 or self.series.count % 4:
            return
        logs = list(self._logs)
        around, suspects = median(logs), zip(logs[-8:-4], list(self._cut)[-8:-4], strict=True)
        sigma = max(robust.spread(logs), 1e-3)
        back = median(logs[-4:]) - around < SPIKE / 4 * sigma
        high = [value for value, cut in suspects if not cut and value - around > SPIKE * sigma]
        if back and any(math.exp(value) > self.series.start for value in high):
            self._spikes.append(row.step)

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
            since_best=series.count - self._best_at,
            positive=self._positive,
            rivals=setting[0],
            fed=setting[1],
            warming=rates.warming,
            lr=rates.now,
            lr_share=rates.share,
        )


class Gradients:
    def __init__(self) -> None:
        self.series = Series()
        self._piled = 0

    def add(self, row: StepRow) -> None:
        norm = row.clip_norm if row.clip_norm is not None else row.grad_norm
        self.series.add(norm or None)
        self._piled = self._piled + 1 if row.piled else 0

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
        )

    @property
    def leaps(self) -> bool:
        """The last norm is far from usual: the windows are judged at once."""
        recent = self.series.recent
        return len(recent) > STRETCHES and recent[-1] > 50 * recent[-2]
