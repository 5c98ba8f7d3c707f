"""Which graphs live, and for how long."""

import gc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from firstlight.experiments.inside.kept_graphs import NODE_BYTES, KeptGraphs
from firstlight.experiments.inside.reloading import Reloading
from firstlight.observe.inside.taps.models import Call
from firstlight.records.kept import GraphsKept

Keep = Callable[[list[Tensor], Tensor], None]
STEPS = 8


class Program:
    def __init__(self) -> None:
        observer: Any = SimpleNamespace(step=0)
        self.observer = observer
        self.kept = KeptGraphs(observer, loops=tuple)
        self.model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))

    def call(self) -> Tensor:
        output: Tensor = self.model(torch.ones(16, 4))
        call: Any = SimpleNamespace(module=self.model, output=output, training=torch.is_grad_enabled())
        self.kept.returned(call)
        return output.square().mean()

    def train(self, keep: Keep) -> list[GraphsKept]:
        held: list[Tensor] = []
        for _ in range(STEPS):
            loss = self.call()
            loss.backward()
            keep(held, loss)
            self.observer.step += 1
            self.kept.stepped()
        return list(self.kept.seen())

    def evaluate(self, keep: Keep) -> list[GraphsKept]:
        held: list[Tensor] = []
        self.model.eval()
        for _ in range(STEPS):
            keep(held, self.call())
        return list(self.kept.seen())


@pytest.fixture
def program() -> Program:
    return Program()


def test_losses_in_a_list_keep_the_graphs_of_all_steps(program: Program) -> None:
    (kept,) = program.train(lambda held, loss: held.append(loss))

    assert (kept.calls, kept.alive, kept.whole, kept.evaluates) == (STEPS, STEPS - 1, STEPS - 1, False)
    assert 0 < kept.bytes < 100 * NODE_BYTES  # a backward let go of the tensors


@pytest.mark.parametrize("keep", [lambda held, loss: held.append(loss.detach()), lambda held, loss: None])
def test_numbers_keep_none(program: Program, keep: Keep) -> None:
    assert program.train(keep) == []


class Solver:
    """Refers to itself by way of its own method, as what is made anew for each call often does."""

    def __init__(self, state: Tensor) -> None:
        self.state, self.own = state, self.advance

    def advance(self) -> Tensor:
        return self.state


def solved(_held: list[Tensor], loss: Tensor) -> None:
    Solver(loss).advance()


@pytest.mark.parametrize("phase", [Program.train, Program.evaluate])
def test_what_nobody_can_reach_is_not_kept(
    program: Program, phase: Callable[[Program, Keep], list[GraphsKept]]
) -> None:
    """Python looks for it when it likes to; here, never by itself."""
    gc.disable()
    try:
        told = phase(program, solved)
    finally:
        gc.enable()

    assert all(kept.alive <= 1 for kept in told)


def test_an_evaluation_with_gradients_keeps_what_is_added_up(program: Program) -> None:
    (kept,) = program.evaluate(lambda held, loss: held.append(loss))

    assert (kept.calls, kept.alive, kept.evaluates) == (STEPS, STEPS, True)
    assert kept.bytes >= 16 * 8 * 4  # the hidden layer


def test_an_evaluation_that_lets_go_keeps_one(program: Program) -> None:
    (kept,) = program.evaluate(lambda held, loss: None)

    assert (kept.alive, kept.evaluates) == (1, True)


def test_an_evaluation_without_gradients_builds_none(program: Program) -> None:
    with torch.no_grad():
        assert program.evaluate(lambda held, loss: held.append(loss)) == []


def test_gradients_taken_in_eval_mode_are_meant(program: Program) -> None:
    assert program.evaluate(lambda held, loss: loss.backward()) == []


def test_what_is_kept_to_ask_a_saved_model_again_keeps_no_graph(program: Program) -> None:
    """A model that is made anew for each call, and given what rests on others."""
    reloading = Reloading(program.observer)

    def call(keep: list[Tensor]) -> None:
        module: Any = nn.Linear(1, 1)
        given = keep[-1].reshape(1, 1)
        reloading.returned(Call(module, (given,), {"state": [given]}, [given], module(given), True))

    assert program.train(lambda held, loss: call([loss])) == []
