"""Which tensor is the answer that predictions of an evaluation are compared with."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from firstlight.observe.inside.relations.held_out import HeldOut
from firstlight.observe.inside.relations.in_order import BatchPlaces
from firstlight.observe.inside.taps import held_out
from firstlight.observe.inside.taps.models import Call

INPUTS = torch.arange(40.0).reshape(20, 2)
ANSWERS = torch.arange(20)


class Followed(torch.overrides.TorchFunctionMode):
    """Every call is told to the tap."""

    def __init__(self, tap: held_out.HeldOutTap) -> None:
        super().__init__()
        self.tap = tap

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        self.tap.note(func.__name__, args, kwargs or {}, found)
        return found


class Program:
    def __init__(self) -> None:
        observer: Any = SimpleNamespace(
            timeline=None, light=False, step=9, shielded=lambda _name, function: function, quiet=nullcontext
        )
        line = SimpleNamespace(loaded=(None, BatchPlaces(0, 1)))
        self.held_out = HeldOut()
        related: Any = SimpleNamespace(held_out=self.held_out, lines={None: line})
        self.tap = held_out.HeldOutTap(observer, SimpleNamespace(follow_by=lambda _: None), related)  # type: ignore[arg-type]
        self.model = nn.Linear(2, 20)

    def ask(self) -> torch.Tensor:
        with torch.no_grad():
            found: torch.Tensor = self.model(INPUTS)
        self.tap.returned(Call(self.model, (INPUTS,), {}, [INPUTS], found, False))
        return found

    @property
    def answers(self) -> list[float]:
        self.tap.backward_begins()
        (part,) = self.held_out.parts.values()
        return part.sample.answer()[:, 0].tolist() if part.sample.kept else []


@pytest.fixture
def program() -> Program:
    return Program()


def test_a_loss(program: Program) -> None:
    found = program.ask()
    with Followed(program.tap):
        functional.cross_entropy(found, ANSWERS)

    assert program.answers == ANSWERS.tolist()


@pytest.mark.parametrize("swapped", [False, True])
def test_a_comparison_on_either_side(program: Program, swapped: bool) -> None:
    found = program.ask()
    with Followed(program.tap):
        chosen = found.argmax(1)
        _ = torch.eq(*((ANSWERS, chosen) if swapped else (chosen, ANSWERS)))

    assert program.answers == ANSWERS.tolist()


def test_predictions_that_meet_each_other_meet_no_answer(program: Program) -> None:
    found = program.ask()
    with Followed(program.tap):
        _ = found.argmax(1) == found.argmin(1)
        _ = ANSWERS == ANSWERS

    assert program.answers == []


def test_a_loss_that_is_trained_on_is_no_score(program: Program) -> None:
    found = program.ask()
    with Followed(program.tap):
        functional.mse_loss(torch.zeros(20, 20, requires_grad=True), found)

    assert program.answers == []


@pytest.mark.parametrize("answers", [ANSWERS.numpy(), ANSWERS.tolist(), ANSWERS])
def test_a_metric_of_scikit_learn(program: Program, answers: Any) -> None:
    program.ask()
    program.tap.metric("roc_auc_score", (answers, np.zeros(20)), 0.5)

    assert program.answers == ANSWERS.tolist()


def test_a_loader_whose_batches_are_like_those_of_training(program: Program) -> None:
    program.tap.batch_given(SimpleNamespace(dataset=[]), [INPUTS, ANSWERS])
    program.ask()

    assert program.answers == ANSWERS.tolist()


def test_a_batch_of_other_rows_is_not_what_was_asked(program: Program) -> None:
    program.tap.batch_given(SimpleNamespace(dataset=[]), [INPUTS[:5], ANSWERS[:5]])
    program.ask()

    assert program.answers == []
