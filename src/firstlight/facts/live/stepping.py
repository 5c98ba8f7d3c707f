"""The learning rate, clipping, loss scaling, batches, time and memory, step by step."""

import math
from collections import deque
from itertools import pairwise
from statistics import quantiles

from firstlight.facts.live import robust
from firstlight.facts.live.series import RECENT, Series, middle
from firstlight.records.live import ClipTrack, FeedTrack, PaceTrack, RateTrack, ScaleTrack
from firstlight.records.telemetry import StepRow

CLIP_WINDOW = 256
SCALE_WINDOW = 500
FEED_WINDOW = 100
SETTLED = 10
"""Measurements of memory after which a run has its buffers."""
MOST_MEMORY = 64
LATE = 5.0
"""Times the usual time of a step, from which on a single one is late."""
STUTTERS_OVER = 1000


class RateWindow:
    def __init__(self) -> None:
        self._highest = 0.0
        self._jump, self._jumped_at = 1.0, 0
        self._zero = self._steps = 0
        self._now = math.nan

    def add(self, row: StepRow) -> None:
        if row.lr is None:
            return
        self._steps += 1
        self._now = row.lr
        self._zero = self._zero + 1 if row.lr == 0 and self._highest > 0 else 0
        if self._highest > 0 and row.lr > self._highest:
            ratio = row.lr / self._highest
            if ratio > self._jump:
                self._jump, self._jumped_at = ratio, row.step
        if row.lr > self._highest:
            self._highest = row.lr

    def fact(self, row: StepRow, rank: int) -> RateTrack | None:
        if not self._steps:
            return None
        return RateTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            now=self._now,
            highest=self._highest,
            jump=self._jump,
            jumped_at=self._jumped_at,
            zero=self._zero,
            steps=self._steps,
        )


class ClipWindow:
    def __init__(self) -> None:
        self._norms: deque[float] = deque(maxlen=CLIP_WINDOW)
        self._coefficients: deque[float] = deque(maxlen=CLIP_WINDOW)
        self._limit = math.nan
        self.steps = self.engaged = 0
        """Over the whole run, for the closing words."""

    def add(self, row: StepRow) -> None:
        coefficient = row.clip_coef
        if coefficient is None or row.clip_norm is None or not math.isfinite(row.clip_norm):
            return
        self.steps += 1
        self.engaged += coefficient < 1
        self._limit = row.clip_at or math.nan
        self._norms.append(row.clip_norm)
        self._coefficients.append(coefficient)

    def fact(self, row: StepRow, rank: int, adaptive: bool) -> ClipTrack | None:
        if not self._norms:
            return None
        cut = [coefficient < 1 for coefficient in self._coefficients]
        return ClipTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            steps=self.steps,
            engaged=sum(cut) / len(cut),
            coefficient=middle(list(self._coefficients)),
            usual=sorted(self._norms)[int(0.9 * (len(self._norms) - 1))],
            limit=self._limit,
            adaptive=adaptive,
        )


class ScaleWindow:
    def __init__(self) -> None:
        self._skipped: deque[bool] = deque(maxlen=SCALE_WINDOW)
        self._scale: float | None = None
        self._steps = self._scheduled = 0
        self._left_out: StepRow | None = None
        """The step before, if it was left out."""

    def add(self, row: StepRow) -> None:
        if self._left_out is not None and None not in (row.lr, self._left_out.lr):
            self._scheduled += row.lr != self._left_out.lr
        self._left_out = row if row.skipped else None
        if row.amp_scale is None and not row.skipped:
            return
        self._steps += 1
        fell = self._scale is not None and row.amp_scale is not None and row.amp_scale < self._scale
        self._skipped.append(row.skipped or (fell and not (self._skipped and self._skipped[-1])))
        self._scale = self._scale if row.amp_scale is None else row.amp_scale

    def fact(self, row: StepRow, rank: int) -> ScaleTrack | None:
        if not self._steps:
            return None
        share = sum(self._skipped) / len(self._skipped)
        return ScaleTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            steps=self._steps,
            skipped=share,
            scale=self._scale,
            scheduled=self._scheduled,
        )


class FeedWindow:
    def __init__(self) -> None:
        self._early: set[str] = set()
        self._last: str | None = None
        self._same = self._steps = 0
        self._on_device = False
        self._shares: deque[float] = deque(maxlen=FEED_WINDOW)
        self._seconds: deque[float] = deque(maxlen=FEED_WINDOW)

    @property
    def fed(self) -> bool:
        return self._steps > 0

    def add(self, row: StepRow, on_device: bool = False) -> None:
        self._on_device |= on_device
        if row.data_wait_s is not None and row.step_s:
            self._shares.append(min(1.0, row.data_wait_s / row.step_s))
            self._seconds.append(row.step_s)
        if row.batch is None:
            return
        self._steps += 1
        if len(self._early) < FEED_WINDOW and self._steps <= FEED_WINDOW:
            self._early.add(row.batch)
        self._same = self._same + 1 if row.batch == self._last else 1
        self._last = row.batch

    def fact(self, row: StepRow, rank: int) -> FeedTrack | None:
        if not self._steps:
            return None
        return FeedTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            steps=self._steps,
            distinct=len(self._early),
            same=self._same,
            wait_share=middle(list(self._shares)) if len(self._shares) == FEED_WINDOW else 0.0,
            on_device=self._on_device,
            step_s=quantiles(self._seconds, n=10)[0] if len(self._seconds) > 1 else 0.0,
        )


class Stutters:
    """Single steps of the last thousand that took several times as long as their neighbours, in no rhythm."""

    def __init__(self) -> None:
        self._late: deque[tuple[int, float]] = deque()
        """Steps, and the seconds they took beyond the usual."""
        self._count = 0

    def add(self, seconds: float, recent: Series) -> None:
        self._count += 1
        while self._late and self._late[0][0] <= self._count - STUTTERS_OVER:
            self._late.popleft()
        if recent.count >= RECENT and seconds > LATE * (usual := recent.level):
            self._late.append((self._count, seconds - usual))

    @property
    def count(self) -> int:
        return 0 if self._rhythmic() else len(self._late)

    @property
    def lost_s(self) -> float:
        return sum(seconds for _, seconds in self._late)

    def _rhythmic(self) -> bool:
        """Evaluations, checkpoints and new epochs come at regular times."""
        gaps = [b - a for (a, _), (b, _) in pairwise(self._late)]
        usual = middle([float(gap) for gap in gaps])
        return bool(gaps) and sum(abs(gap - usual) <= 1 for gap in gaps) >= len(gaps) / 2


class PaceWindow:
    def __init__(self) -> None:
        self._stutters = Stutters()
        self._seconds = Series()
        self._start: list[float] = []
        self._memory = Series()
        self._settled: float | None = None
        self._measured = 0

    def add(self, row: StepRow, memory: float | None) -> None:
        if row.step_s is not None:
            self._stutters.add(row.step_s, self._seconds)
            self._seconds.add(row.step_s)
            if len(self._start) < RECENT and self._seconds.count > SETTLED:
                self._start.append(row.step_s)
        if memory is not None:
            self._measured += 1
            if self._measured > SETTLED:
                self._settled = memory if self._settled is None else self._settled
                self._memory.add(memory)

    def fact(self, row: StepRow, rank: int) -> PaceTrack | None:
        if self._seconds.count < RECENT:
            return None
        memory = list(self._memory.recent)[-MOST_MEMORY:]
        return PaceTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            steps=self._seconds.count,
            start_s=middle(self._start),
            level_s=middle(list(self._seconds.recent)),
            samples=self._memory.count,
            memory_start=self._settled or 0.0,
            memory_now=memory[-1] if memory else 0.0,
            memory_rising=robust.rising(memory),
            stutters=self._stutters.count,
            stutters_s=self._stutters.lost_s,
        )
