"""What the units of a model do: those that never answer, those pressed against their limits."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.handlers import Handlers
from firstlight.observe.inside.taps.models import Models
from firstlight.records.inner import Units
from firstlight.records.places import Site

LOOKS = 4
"""The last looks at an activation count: units may die, and come back, in the first steps."""
LIMITS = {"sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}
NEAR = 0.01
"""Of the range, that a saturated unit is away from a limit."""
KINDS = {"relu": "relu", "relu_": "relu", "sigmoid": "sigmoid", "sigmoid_": "sigmoid", "tanh": "tanh", "tanh_": "tanh"}
MOST_ACTIVATIONS = 64


@dataclass
class Activation:
    """One of the activations of a step, by its place in it."""

    kind: str
    site: Site | None
    module: str | None = None
    answers: deque[torch.Tensor] = field(default_factory=lambda: deque(maxlen=LOOKS))
    """For each look: which units gave anything but zero."""
    saturated: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))
    examples: deque[int] = field(default_factory=lambda: deque(maxlen=LOOKS))

    def record(self, order: int, step: int) -> Units:
        alive = self.answers[-1].clone()
        for earlier in self.answers:
            alive = alive | earlier if earlier.shape == alive.shape else alive
        return Units(
            step=step,
            rank=rank(),
            order=order,
            kind=self.kind,
            site=self.site,
            module=self.module,
            units=alive.numel(),
            dead=int((~alive).sum()),
            saturated=min(self.saturated),
            looks=len(self.answers),
            examples=sum(self.examples),
        )


class Watch:
    def __init__(self, observer: Observer, models: Models) -> None:
        self.observer, self.models = observer, models
        self._known: dict[int, Activation] = {}
        self._order = 0
        self._last: torch.Tensor | None = None

    def called(self, name: str, _args: Any, _kwargs: Any, result: Any) -> None:
        """Only inside a model: a loss may well be made of rectified differences."""
        if not self.models.inside or not isinstance(result, torch.Tensor) or not result.requires_grad:
            return
        order, self._order = self._order, self._order + 1
        if order >= MOST_ACTIVATIONS or result.ndim < 2 or not reading.readable(result) or not result.numel():
            return
        kind = KINDS[name]
        known = self._known.get(order)
        if known is None or known.kind != kind:
            known = self._known[order] = Activation(kind, sites.caller(2))
        known.answers.append(_answering(result))
        known.saturated.append(_saturated(result, kind))
        known.examples.append(len(result))
        self._last = result

    def module_returned(self, module: torch.nn.Module, _given: Any, made: list[torch.Tensor]) -> None:
        """An activation that is a module of its own has a name."""
        if self._last is not None and made and made[0] is self._last and self._order - 1 in self._known:
            self._known[self._order - 1].module = self.models.path_of(module)
        self._last = None

    def next_step(self) -> None:
        self._order = 0

    def tell(self) -> None:
        for order, activation in self._known.items():
            if activation.answers:
                self.observer.emit(activation.record(order, self.observer.step))


def _answering(result: torch.Tensor) -> torch.Tensor:
    """By unit: channels of an image, features of anything else."""
    found = reading.sample_of(result) != 0
    axis = 1 if found.ndim == 4 else found.ndim - 1
    return found.transpose(axis, 0).reshape(found.shape[axis], -1).any(1).cpu()


def _saturated(result: torch.Tensor, kind: str) -> float:
    if kind not in LIMITS:
        return 0.0
    low, high = LIMITS[kind]
    near = NEAR * (high - low)
    found = reading.sample_of(result)
    return float(((found < low + near) | (found > high - near)).float().mean().item())


def handlers(observer: Observer, models: Models) -> Handlers:
    watch = Watch(observer, models)
    observer.moments.module_returned.append(observer.shielded("units", watch.module_returned))
    observer.moments.next_step.append(observer.shielded("units", watch.next_step))
    observer.moments.milestone.append(observer.shielded("units", watch.tell))
    return Handlers(after=dict.fromkeys(KINDS, watch.called))
