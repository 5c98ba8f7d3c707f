"""What a step begins with, and when the files of a checkpoint are kept."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.resuming import Resuming
from firstlight.experiments.inside.shortening.rounds import WHOLE, Book


class Program:
    def __init__(self) -> None:
        torch.manual_seed(0)
        self.model = nn.Linear(3, 1)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=0.1)
        observer: Any = SimpleNamespace(step=0, spec=SimpleNamespace(contain=False))
        self.resuming = Resuming(observer, Book(WHOLE), resumed=False)

    def step(self, optimizer: torch.optim.Optimizer | None = None) -> None:
        self.resuming.step_begins(optimizer or self.optimizer)
        self.model(torch.ones(2, 3)).sum().backward()
        (optimizer or self.optimizer).step()
        self.resuming.observer.step += 1

    def state(self) -> Any:
        return self.resuming._state(self.optimizer)


@pytest.fixture
def program() -> Program:
    return Program()


def test_states_are_told_apart_by_their_parts(program: Program) -> None:
    before = program.state()
    program.step()
    after = program.state()

    assert before.optimizer == ""
    assert before.weights != after.weights
    assert after.optimizer
    assert before.rates == after.rates == (0.1,)
    assert program.state() == after


def test_a_state_that_was_loaded_is_the_same(program: Program) -> None:
    program.step()
    again = Program()
    again.model.load_state_dict(program.model.state_dict())
    again.optimizer.load_state_dict(program.optimizer.state_dict())

    assert (again.state().weights, again.state().optimizer) == (program.state().weights, program.state().optimizer)


@pytest.mark.parametrize(
    ("kept", "is_training"),
    [
        (lambda p: {"model": p.model.state_dict(), "optimizer": p.optimizer.state_dict()}, True),
        (lambda p: {"model": p.model.state_dict(), "epoch": 3}, True),
        (lambda p: p.model.state_dict(), False),
        (lambda p: {"model": p.model.state_dict(), "accuracy": 0.5}, False),
    ],
)
def test_a_checkpoint_of_the_training_is_known(program: Program, kept: Any, is_training: bool) -> None:
    program.step()
    program.resuming.written(kept(program))

    assert (program.resuming._saved is not None) is is_training


def test_loops_are_known_by_what_they_count() -> None:
    book = Book(WHOLE)
    number = book.register("train.py")(1, 2, False)
    for epoch in book.over(number, range(4, 7)):
        assert book.counted() == epoch
    for place, _ in book.over(number, enumerate("ab")):
        assert book.counted() == place
    for _ in book.over(number, "ab"):
        assert book.counted() is None
