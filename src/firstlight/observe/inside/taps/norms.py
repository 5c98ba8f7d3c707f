"""Normalisation layers that leave nothing of their input, or whose statistics for the evaluation never follow it."""

import math
from collections import Counter

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Models
from firstlight.records.inner import Erased, NormStatistics

KINDS = (
    torch.nn.LayerNorm,
    torch.nn.GroupNorm,
    torch.nn.modules.instancenorm._InstanceNorm,
    torch.nn.modules.batchnorm._BatchNorm,
)
SAME = 1e-5
"""Spread over the examples, relative to the layer's own scale, below which nothing is left."""
LOST = 1e-3
"""Spread over the examples, relative to the values, up to which there was nothing to erase."""
LEAST_BATCHES = 16
"""That a batch norm has followed before its running statistics are looked at; then each time they are twice as many."""
LEAST_VALUES = 16
"""Of each channel in a batch; fewer have no statistics of their own."""
FURTHER = 2
Moments = tuple[torch.Tensor, torch.Tensor]
"""Mean and variance of each channel."""


class Watch:
    def __init__(self, observer: Observer, models: Models) -> None:
        self.observer, self.models = observer, models
        self._looks: Counter[int] = Counter()
        self._due: dict[int, int] = {}
        """Batches of each batch norm at which it is looked at next."""

    def module_returned(self, module: torch.nn.Module, given: list[torch.Tensor], made: list[torch.Tensor]) -> None:
        if not isinstance(module, KINDS) or not given or not made or len(made[0]) < 2 or not reading.readable(made[0]):
            return
        if isinstance(module, torch.nn.modules.batchnorm._BatchNorm) and module.training:
            self._follow(module, given[0])
        weight = getattr(module, "weight", None)
        scale = 1.0 if weight is None else float(weight.detach().abs().max())
        if scale == 0.0 or not _differs(given[0]) or _spread(made[0]) > SAME * scale:
            self._looks[id(module)] = 0
            return
        self._looks[id(module)] += 1
        self.observer.emit(
            Erased(
                module=self.models.path_of(module),
                kind=type(module).__name__,
                site=sites.caller(),
                shape=tuple(given[0].shape),
                looks=self._looks[id(module)],
            )
        )

    def _follow(self, module: torch.nn.modules.batchnorm._BatchNorm, given: torch.Tensor) -> None:
        mean, variance, batches = module.running_mean, module.running_var, module.num_batches_tracked
        if mean is None or variance is None or batches is None:
            return
        followed = int(batches)
        if followed < self._due.get(id(module), LEAST_BATCHES) or given.numel() < LEAST_VALUES * len(mean):
            return
        self._due[id(module)] = FURTHER * followed
        batch, *halves = (_moments(part, module.eps) for part in (given, *given.tensor_split(2)))
        self.observer.emit(
            NormStatistics(
                module=self.models.path_of(module),
                site=sites.caller(),
                batches=followed,
                momentum=module.momentum,
                apart=_apart((mean, variance + module.eps), batch),
                began=_apart((torch.zeros_like(mean), torch.ones_like(variance)), batch),
                between=_apart(*halves) / math.sqrt(2),
            )
        )


def _moments(given: torch.Tensor, eps: float) -> Moments:
    values = given.detach().transpose(0, 1).flatten(1).float()
    return values.mean(1), values.var(1) + eps


def _apart(one: Moments, other: Moments) -> float:
    """Between two pairs of mean and variance."""
    parts = [(one[0] - other[0]) / other[1].sqrt(), (one[1] / other[1]).log()]
    return float(sum(part.float().square().mean() for part in parts) ** 0.5)


def _differs(tensor: torch.Tensor) -> bool:
    """By enough to be seen after normalisation: what hardly differs before it was lost earlier."""
    return _spread(tensor) > LOST * float(reading.sample_of(tensor).float().abs().max())


def _spread(tensor: torch.Tensor) -> float:
    """The most that one place differs between examples."""
    found = reading.sample_of(tensor).float()
    return float((found.max(0).values - found.min(0).values).max())


def install(observer: Observer, models: Models) -> None:
    watch = Watch(observer, models)
    observer.moments.module_returned.append(observer.shielded("norms", watch.module_returned))
