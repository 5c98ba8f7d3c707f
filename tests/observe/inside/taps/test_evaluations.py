import weakref
from typing import Any, cast

import torch
from torch import nn

from firstlight.observe.inside.taps.evaluations import Evaluations, is_noisy
from firstlight.observe.inside.taps.models import Call, Models, Root
from firstlight.records.training import EvaluationSeen


class Watcher:
    """As much of an observer as the tap uses."""

    def __init__(self) -> None:
        self.step = 0
        self.told: list[EvaluationSeen] = []

    def emit(self, record: EvaluationSeen) -> None:
        self.told.append(record)


class Program:
    def __init__(self) -> None:
        self.observer = Watcher()
        self.models = Models(cast("Any", self.observer))
        self.model: nn.Module = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.5))
        self.tap = Evaluations(cast("Any", self.observer), self.models)
        self.meet(self.model)

    def meet(self, model: nn.Module) -> None:
        index = len(self.models.roots)
        self.models.roots[id(model)] = Root(index, weakref.ref(model), "Net", None, backwards=1)

    def train(self, steps: int, rows: int = 8) -> None:
        for _ in range(steps):
            self.call(torch.zeros(rows, 2), training=True)
            self.observer.step += 1

    def call(self, given: torch.Tensor, training: bool = False) -> None:
        self.tap.returned(Call(self.model, (given,), {}, [given], given, training))

    def evaluate(self, calls: int, rows: int = 8) -> None:
        for batch in [torch.zeros(rows, 2) for _ in range(calls)]:
            self.call(batch)

    def seen(self) -> EvaluationSeen | None:
        self.tap.tell()
        return self.observer.told[-1] if self.observer.told else None

    def phases(self) -> int:
        seen = self.seen()
        return seen.phases if seen is not None else 0


def test_runs_of_calls_between_training_are_phases() -> None:
    program = Program()
    for _ in range(2):
        program.train(5)
        program.evaluate(4)

    seen = program.seen()

    assert seen is not None
    assert (seen.phases, seen.crowded, seen.in_eval, seen.alone) == (2, 0, False, True)
    assert seen.site is not None


def test_single_calls_between_steps_are_none() -> None:
    program = Program()
    for _ in range(20):
        program.train(1)
        program.evaluate(2)

    assert program.phases() == 0


def test_a_single_call_on_a_whole_validation_set_is_one() -> None:
    program = Program()
    program.train(5, rows=8)
    program.evaluate(1, rows=15)
    program.train(5, rows=8)
    program.evaluate(1, rows=16)

    assert program.phases() == 1


def test_phases_at_every_step_are_crowded() -> None:
    program = Program()
    for _ in range(4):
        program.train(2)
        program.evaluate(4)

    seen = program.seen()

    assert seen is not None
    assert (seen.phases, seen.crowded) == (4, 4)


def test_the_same_input_again_is_sampling() -> None:
    program, given = Program(), torch.zeros(8, 2)
    program.train(5)
    for _ in range(10):
        program.call(given)

    assert program.phases() == 0


def test_one_example_at_a_time_is_acting() -> None:
    program = Program()
    program.train(5)
    program.evaluate(10, rows=1)

    assert program.phases() == 0


def test_eval_mode_is_noted() -> None:
    program = Program()
    program.train(5)
    program.model.eval()
    program.evaluate(4)

    seen = program.seen()

    assert seen is not None
    assert (seen.phases, seen.in_eval) == (0, True)


def test_another_trained_model_is_noted() -> None:
    program, other = Program(), nn.Linear(2, 2)
    program.train(5)
    program.evaluate(4)
    program.meet(other)

    seen = program.seen()

    assert seen is not None
    assert not seen.alone


def test_noise_is_what_eval_mode_would_change() -> None:
    assert is_noisy(nn.Sequential(nn.Dropout(0.1)))
    assert is_noisy(nn.BatchNorm1d(4))
    assert not is_noisy(nn.Dropout(0.0))
    assert not is_noisy(nn.Dropout(0.1).eval())
    assert not is_noisy(nn.BatchNorm1d(4, track_running_stats=False))
    assert not is_noisy(nn.Linear(2, 2))


def test_a_whole_set_asked_again_and_again_is_sampling() -> None:
    program = Program()
    everything = torch.zeros(100, 2)
    for _ in range(3):
        program.train(5)
        for _ in range(6):
            program.call(everything)

    assert program.phases() == 0
