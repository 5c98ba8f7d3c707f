"""Choosing the epoch to keep: what a selector is, and a sound one."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from firstlight.errors import UsageError


@runtime_checkable
class EpochSelector(Protocol):
    def record(self, epoch: int, **metrics: float) -> None: ...

    def select(self) -> int:
        """The epoch to keep, of those recorded."""


@dataclass(kw_only=True)
class BestEpoch:
    """The epoch whose metric is best after smoothing.

    Values that are not finite never win. Epochs before `least_epoch` are not chosen while a later one was recorded.
    """

    metric: str = "val_loss"
    lower_is_better: bool = True
    smoothing: int = 1
    """The metric of an epoch is the mean of so many, centred on it: a lucky epoch does not win alone."""
    least_epoch: int = 0
    on_tie: Callable[[list[int]], int] = min
    """Of epochs equally good, the earliest: the shorter training."""
    _values: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.smoothing < 1 or self.smoothing % 2 == 0:
            raise UsageError(f"BestEpoch: `smoothing` is {self.smoothing}; it takes an odd number of epochs from 1 on.")

    def record(self, epoch: int, **metrics: float) -> None:
        if self.metric not in metrics:
            given = ", ".join(sorted(metrics)) or "no metric"
            raise UsageError(f"BestEpoch waits for `{self.metric}`, and epoch {epoch} has {given}.")
        self._values[epoch] = float(metrics[self.metric])

    def select(self) -> int:
        if not self._values:
            raise UsageError("BestEpoch has no epoch to choose from: `record` was never called.")
        late = {epoch: value for epoch, value in self._smoothed().items() if epoch >= self.least_epoch}
        known = {epoch: value for epoch, value in (late or self._smoothed()).items() if math.isfinite(value)}
        if not known:
            return max(self._values)
        best = min(known.values()) if self.lower_is_better else max(known.values())
        return self.on_tie([epoch for epoch, value in known.items() if value == best])

    def _smoothed(self) -> dict[int, float]:
        epochs = sorted(self._values)
        half = self.smoothing // 2
        smoothed = {}
        for index, epoch in enumerate(epochs):
            near = [self._values[other] for other in epochs[max(0, index - half) : index + half + 1]]
            finite = [value for value in near if math.isfinite(value)]
            own = self._values[epoch]
            smoothed[epoch] = sum(finite) / len(finite) if finite and math.isfinite(own) else own
        return smoothed
