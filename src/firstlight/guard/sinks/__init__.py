"""Where the guard's numbers go besides its log, while the run goes on.

A sink that fails is switched off and said to be; the others, the log and the training go on.
"""

import importlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from firstlight.records.telemetry import StepRow, Trip

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard

SINKS = {
    "stdout": "firstlight.guard.sinks.lines:Lines",
    "tensorboard": "firstlight.guard.sinks.tensorboard:TensorBoard",
    "wandb": "firstlight.guard.sinks.wandb:WeightsAndBiases",
    "mlflow": "firstlight.guard.sinks.mlflow:MLflow",
}
"""By the name a user gives; loaded when the first number comes."""


class Sink(Protocol):
    def step(self, row: StepRow) -> None: ...

    def flag(self, trip: Trip) -> None: ...

    def close(self) -> None: ...


class Feed:
    """One sink's: made at the first step, when the program has opened its own tracker if it has one."""

    def __init__(self, guard: "Guard", name: str, make: Callable[["Guard"], Sink]) -> None:
        self._guard, self._make = guard, make
        self._sink: Sink | None = None
        self.step = guard.shield(f"the sink {name}", self._step)
        self.flag = guard.shield(f"the sink {name}", self._flag)
        self.close = guard.shield(f"the sink {name}", self._close)

    def listen(self) -> None:
        moments = self._guard.moments
        moments.measured.append(lambda _, row: self.step(row))
        moments.tripped.append(lambda _, trip: self.flag(trip))
        moments.closing.append(lambda _: self.close())

    def _open(self) -> Sink:
        if self._sink is None:
            self._sink = self._make(self._guard)
            self._guard.closes_first()  # a tracker ends its own side when the program ends; ours must come before
        return self._sink

    def _step(self, row: StepRow) -> None:
        self._open().step(row)

    def _flag(self, trip: Trip) -> None:
        self._open().flag(trip)

    def _close(self) -> None:
        if self._sink is not None:
            self._sink.close()


def attach(guard: "Guard", sinks: Iterable[str | Sink]) -> None:
    for sink in sinks:
        name = sink if isinstance(sink, str) else type(sink).__name__
        Feed(guard, name, _maker(sink)).listen()


def _maker(sink: str | Sink) -> Callable[["Guard"], Sink]:
    if not isinstance(sink, str):
        return lambda _: sink
    module, _, kind = SINKS[sink].partition(":")

    def make(guard: "Guard") -> Sink:
        made: Sink = getattr(importlib.import_module(module), kind)(guard)
        return made

    return make
