"""Whether batches come in the same order in every epoch, and whether the loss goes up and down with it."""

from collections import deque
from itertools import pairwise
from statistics import fmean

from firstlight.facts.live import robust
from firstlight.facts.live.series import Series
from firstlight.records.live import OrderTrack
from firstlight.records.telemetry import StepRow

BLOCKS = 8
"""Stretches of an epoch; a shorter one than four batches each has no course."""
EPOCHS = 3


class OrderWindow:
    """An epoch is over when the very first batch comes again."""

    def __init__(self) -> None:
        self._first: str | None = None
        self._length = 0
        self._epoch = Series()
        self._profiles: deque[list[float]] = deque(maxlen=EPOCHS)

    def add(self, row: StepRow) -> None:
        if row.batch is None or row.loss is None or not row.loss > 0:
            return
        if row.batch == self._first:
            self._epoch_ends()
        self._first = self._first or row.batch
        self._epoch.add(row.loss)

    def _epoch_ends(self) -> None:
        epoch, self._epoch = self._epoch, Series()
        if epoch.count != self._length:
            self._profiles.clear()
        self._length = epoch.count
        if len(epoch.blocks) >= BLOCKS:
            ends = [len(epoch.blocks) * place // BLOCKS for place in range(BLOCKS + 1)]
            means = [fmean(epoch.blocks[a:b]) for a, b in pairwise(ends)]
            self._profiles.append([each / fmean(means) for each in means])

    def fact(self, row: StepRow, rank: int) -> OrderTrack | None:
        if len(self._profiles) < EPOCHS:
            return None
        usual = [fmean(each) for each in zip(*self._profiles, strict=True)]
        return OrderTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            batches=self._length,
            swing=max(usual) - min(usual),
            alike=min(robust.together(profile, usual) for profile in self._profiles),
        )
