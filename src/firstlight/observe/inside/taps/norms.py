"""Normalisation layers that leave nothing of their input: one value a group, normalised by itself, is always zero."""

from collections import Counter
from typing import TYPE_CHECKING

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import rank
from firstlight.records.inner import Erased

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Models

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


class Watch:
    def __init__(self, observer: "Observer", models: "Models") -> None:
        self.observer, self.models = observer, models
        self._looks: Counter[int] = Counter()

    def module_returned(self, module: torch.nn.Module, given: list[torch.Tensor], made: list[torch.Tensor]) -> None:
        if not isinstance(module, KINDS) or not given or not made or len(made[0]) < 2 or not reading.readable(made[0]):
            return
        weight = getattr(module, "weight", None)
        scale = 1.0 if weight is None else float(weight.detach().abs().max())
        if scale == 0.0 or not _differs(given[0]) or _spread(made[0]) > SAME * scale:
            self._looks[id(module)] = 0
            return
        self._looks[id(module)] += 1
        self.observer.emit(
            Erased(
                step=self.observer.step,
                rank=rank(),
                module=self.models.path_of(module),
                kind=type(module).__name__,
                site=sites.caller(),
                shape=tuple(given[0].shape),
                looks=self._looks[id(module)],
            )
        )


def _differs(tensor: torch.Tensor) -> bool:
    """By enough to be seen after normalisation: what hardly differs before it was lost earlier."""
    return _spread(tensor) > LOST * float(reading.sample_of(tensor).float().abs().max())


def _spread(tensor: torch.Tensor) -> float:
    """The most that one place differs between examples."""
    found = reading.sample_of(tensor).float()
    return float((found.max(0).values - found.min(0).values).max())


def install(observer: "Observer", models: "Models") -> None:
    watch = Watch(observer, models)
    observer.moments.module_returned.append(observer.shielded("norms", watch.module_returned))
