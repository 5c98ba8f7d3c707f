"""Every parameter by itself, looked at every few steps."""

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from firstlight.facts.live.series import middle
from firstlight.records.live import TensorState, TensorTrack
from firstlight.records.telemetry import StepRow

LOOKS = 5
"""Whose median is a tensor's present state; as many first ones, but for the very first, are its start."""


@dataclass(frozen=True, slots=True)
class Look:
    """All parameters at one step, column by column."""

    gradients: Sequence[float]
    weights: Sequence[float]
    updates: Sequence[float]
    present: Sequence[bool]
    wanted: Sequence[bool]
    """Whether each asks for a gradient."""
    lrs: Sequence[float | None]
    zeros: Sequence[float]
    """Share of each gradient that is exactly zero; 1 for a sparse one."""


@dataclass(slots=True)
class _Course:
    grad_first: list[float] = field(default_factory=list)
    weight_first: float = math.nan
    grads: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))
    updates: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))
    weight: float = math.nan
    still: int = 0
    mute: int = 0
    gone: int = 0
    seen: bool = False
    missed: int = 0
    """Looks without a gradient that came to an end: layers left out at random have many."""
    followed: int = 0


class TensorWindow:
    def __init__(self) -> None:
        self._courses: dict[str, _Course] = {}
        self._kinds: dict[str, tuple[bool, bool]] = {}
        self._lrs: dict[str, float | None] = {}
        self._zeros: dict[str, float] = {}
        self.looks = 0

    def add(self, kinds: dict[str, tuple[bool, bool]], look: Look) -> None:
        """`kinds`: by name, whether a parameter is a matrix, and whether it is kept in 16 bits."""
        self._kinds = kinds
        self.looks += 1
        for place, name in enumerate(kinds):
            course = self._courses.get(name)
            if course is None:
                course = self._courses[name] = _Course(weight_first=look.weights[place])
            self._lrs[name], self._zeros[name] = look.lrs[place], look.zeros[place]
            self._follow(course, look, place)

    def _follow(self, course: _Course, look: Look, place: int) -> None:
        gradient, update = look.gradients[place], look.updates[place]
        course.weight = look.weights[place]
        if not math.isnan(update):
            course.updates.append(update)
            course.still = course.still + 1 if update == 0 and look.present[place] else 0
        if not look.present[place]:
            course.gone = course.gone + 1 if course.seen and look.wanted[place] else 0
            return
        course.followed += 1 + course.gone
        course.missed += course.gone
        course.seen, course.gone = True, 0
        course.mute = course.mute + 1 if gradient == 0 else 0
        course.grads.append(gradient)
        if self.looks > 1 and len(course.grad_first) < LOOKS:
            course.grad_first.append(gradient)

    def fact(self, row: StepRow, rank: int, remaining: float, lr_share: float) -> TensorTrack | None:
        if self.looks <= LOOKS:
            return None
        return TensorTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            looks=self.looks,
            tensors=tuple(self._state(name, self._courses[name]) for name in self._kinds),
            remaining=remaining,
            lr_share=lr_share,
        )

    def _state(self, name: str, course: _Course) -> TensorState:
        matrix, half = self._kinds[name]
        return TensorState(
            name=name,
            matrix=matrix,
            half=half,
            grad_start=middle(course.grad_first),
            grad_now=middle(list(course.grads)),
            weight_start=course.weight_first,
            weight_now=course.weight,
            update_now=middle(list(course.updates)),
            still=course.still,
            mute=course.mute,
            gone=course.gone,
            absent=(course.missed + 1) / (course.followed + 2),
            lr=self._lrs[name],
            grad_zeros=self._zeros[name],
        )
