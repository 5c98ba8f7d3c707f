"""Folds of a program as the tap sees them: batches given to a model, steps, and evaluations in between."""

from types import SimpleNamespace
from typing import Any

import torch
from torch import nn

from firstlight.observe.inside.taps.feeding import Feeding
from firstlight.observe.inside.taps.models import Call
from firstlight.observe.inside.taps.stages import StagesTap
from firstlight.records.lived_on import HeldBack

DATA = torch.randn(120, 12, generator=torch.Generator().manual_seed(0))
FOLDS = torch.arange(120).chunk(4)


class Program:
    def __init__(self, timeline: str | None = None) -> None:
        self.told: list[HeldBack] = []
        observer: Any = SimpleNamespace(light=False, step=0, timeline=timeline, batch_rows=(), emit=self.told.append)
        self.model = nn.Linear(12, 1)
        root: Any = SimpleNamespace(index=0, name="Linear", ref=lambda: self.model, backwards=1)
        models: Any = SimpleNamespace(roots={id(self.model): root})
        walked: Any = None
        self.tap = StagesTap(observer)
        self.observer = observer
        self.feeding = Feeding(observer, models, walked, self.tap)

    def call(self, rows: torch.Tensor, training: bool) -> None:
        given = DATA[rows]
        self.feeding.returned(Call(self.model, (given,), {}, [given], torch.zeros(len(rows), 1), training))

    def fold(self, held: torch.Tensor) -> None:
        for rows in torch.cat([one for one in FOLDS if one is not held]).split(30):
            self.call(rows, training=True)
            with torch.no_grad():
                self.model.weight.add_(0.01)
            self.tap.step_ended()
            self.observer.step += 1
        self.call(held, training=False)


def test_two_folds_of_one_model_are_compared() -> None:
    program = Program()
    for held in FOLDS[:2]:
        program.fold(held)
    program.tap.tell()

    (seen,) = program.told
    assert (seen.before, seen.after, seen.now) == (30, 30, (0, 0))
    assert (seen.began, seen.ended, seen.trained, seen.held) == (1, 3, (90, 90), (30, 30))
    assert (seen.made, seen.shortened) == (None, False)
    assert seen.site is not None


def test_a_model_that_is_initialised_again_begins_anew() -> None:
    program = Program()
    for held in FOLDS[:3]:
        program.model.weight.data.normal_()
        program.model.bias.data.normal_()
        program.fold(held)
    program.tap.tell()

    assert program.told == []


def test_the_rehearsal_is_asked_and_other_copies_are_not() -> None:
    for timeline, times in (("rehearsal-longer", 1), ("lr-tenth", 0)):
        program = Program(timeline)
        for held in FOLDS[:2]:
            program.fold(held)
        program.tap.tell()

        assert len(program.told) == times
        assert all(seen.shortened for seen in program.told)
