"""A model is asked about a batch that was read before others."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from firstlight.observe.inside.observer import Moments
from firstlight.observe.inside.taps.models import Call
from firstlight.observe.inside.taps.reading_ahead import MOST_AHEAD, ReadingAhead

MODEL = torch.nn.Linear(3, 2)
Batch = dict[str, Tensor]


class Program:
    """`told` is every batch that was asked about although it was not the last, with its rows."""

    def __init__(self) -> None:
        self.told: list[tuple[list[Tensor], tuple[int, ...]]] = []
        observer: Any = SimpleNamespace(moments=Moments(), batch_rows=(), tell=self._tell)
        self.observer = observer
        self.observer.moments.batch_asked.append(lambda _, batch: self.told.append((batch, self.observer.batch_rows)))
        self.ahead = ReadingAhead(observer)
        self.read = 0

    @staticmethod
    def _tell(moment: Any, *arguments: Any) -> None:
        for listener in moment:
            listener(*arguments)

    def reads(self, x: Tensor | None = None) -> Batch:
        batch = {"x": torch.rand(4, 3) if x is None else x, "y": torch.rand(4)}
        self.observer.batch_rows = (self.read,)
        self.read += 1
        self.ahead.batch_given(None, batch)
        return batch

    def asks(self, given: Tensor) -> None:
        self.ahead.returned(Call(MODEL, (given,), {}, [given], given * 1, training=True))


def test_a_batch_that_was_read_last_is_told_once() -> None:
    program = Program()
    for _ in range(3):
        program.asks(program.reads()["x"])

    assert program.told == []


@pytest.mark.parametrize("ahead", [1, 5])
def test_one_that_was_read_before_others_is_told_again(ahead: int) -> None:
    program = Program()
    batches = [program.reads() for _ in range(ahead)]
    for number in range(4):
        batches.append(program.reads())
        program.asks(batches[number]["x"])

    assert [rows for _, rows in program.told] == [(0,), (1,), (2,), (3,)]
    assert all(batch[1] is batches[number]["y"] for number, (batch, _) in enumerate(program.told))


def test_the_last_is_told_again_after_one_before_it() -> None:
    program = Program()
    for batch in [program.reads() for _ in range(3)]:
        program.asks(batch["x"])

    assert [rows for _, rows in program.told] == [(0,), (1,), (2,)]


def test_a_part_of_its_columns_is_known_too() -> None:
    program = Program()
    first, _ = program.reads(), program.reads()
    program.asks(first["x"][:, :2])

    assert len(program.told) == 1


def test_what_was_made_of_a_batch_is_not_known() -> None:
    program = Program()
    first, _ = program.reads(), program.reads()
    program.asks(first["x"] * 2)

    assert program.told == []


def test_of_batches_in_one_place_the_last_is_asked_about() -> None:
    program, table = Program(), torch.rand(4, 3)
    kept = [program.reads(table) for _ in range(2)]
    program.asks(table)

    assert len(kept) == 2
    assert program.told == []


def test_a_batch_that_is_no_longer_whole_is_not_told() -> None:
    program = Program()
    first = program.reads()
    x = first.pop("x")
    del first
    program.reads()
    program.asks(x)

    assert program.told == []


def test_batches_are_forgotten_in_the_end() -> None:
    program = Program()
    batches = [program.reads() for _ in range(MOST_AHEAD + 1)]
    program.asks(batches[0]["x"])

    assert program.told == []
    program.asks(batches[1]["x"])
    assert len(program.told) == 1
