"""What Adam remembers of the gradients, beside the gradients themselves, looked at every few steps."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from firstlight.facts.live.series import Series, middle
from firstlight.records.live import MomentState, MomentTrack
from firstlight.records.telemetry import StepRow

LOOKS = 3
"""Whose median is the present state."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One look at all weight matrices of an optimizer."""

    names: Sequence[str]
    rows: Sequence[Sequence[float]]
    """Of each: its pace, the share of it that epsilon drowns, and the share of zeros in its gradient."""
    beta: float
    epsilon: float


@dataclass(slots=True)
class _Course:
    paces: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))
    drowned: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))
    zeros: float = 0.0


class MomentWindow:
    def __init__(self) -> None:
        self._courses: dict[str, _Course] = {}
        self._last: Memory | None = None
        self._looks = 0

    def add(self, memory: Memory) -> None:
        self._looks += 1
        self._last = memory
        for name, (pace, drowned, zeros) in zip(memory.names, memory.rows, strict=True):
            course = self._courses.setdefault(name, _Course())
            course.paces.append(pace)
            course.drowned.append(drowned)
            course.zeros = zeros

    def fact(self, row: StepRow, rank: int, losses: Series) -> MomentTrack | None:
        if self._last is None or self._looks < LOOKS:
            return None
        return MomentTrack(
            rank=rank,
            optimizer=row.optimizer,
            step=row.step,
            looks=self._looks,
            beta=self._last.beta,
            epsilon=self._last.epsilon,
            tensors=tuple(_state(name, self._courses[name]) for name in self._last.names),
            remaining=losses.level / losses.start if losses.start > 0 else 1.0,
            falling=losses.fell,
        )


def _state(name: str, course: _Course) -> MomentState:
    return MomentState(
        name=name, pace=middle(list(course.paces)), drowned=middle(list(course.drowned)), zeros=course.zeros
    )
