"""What an evaluation leaves of a model, and what it does not touch."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.evaluated_states import EvaluatedStates
from firstlight.records.evaluated import EvaluationLeaves

Change = Callable[[nn.Module], object]


@torch.no_grad()
def shift(model: nn.Module) -> None:
    for weight in model.parameters():
        weight.add_(1)


@torch.no_grad()
def prune(model: nn.Module) -> None:
    weight = model.get_parameter("0.weight").reshape(-1)
    weight[torch.nonzero(weight)[0]] = 0


def nothing(_model: nn.Module) -> None:
    pass


def trained(evaluate: Change, after_step: Change = nothing, calls: int = 2) -> list[EvaluationLeaves]:
    """Three epochs of two steps, each followed by an evaluation of so many calls."""
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4))
    observer: Any = SimpleNamespace(step=0)
    seen = EvaluatedStates(observer)

    def called(training: bool) -> None:
        seen.called(training)
        call: Any = SimpleNamespace(module=model, training=training)
        seen.returned(call)

    for _ in range(3):
        for _ in range(2):
            called(training=True)
            observer.step += 1
            seen.stepped()
            after_step(model)
        model.eval()
        for _ in range(calls):
            called(training=False)
        evaluate(model)
        model.train()
    return list(seen.seen())


def test_other_weights_after_each_evaluation_are_seen() -> None:
    (found,) = trained(shift)

    assert (found.evaluations, found.weights, found.statistics, found.between) == (2, 2, 0, 0)


def test_statistics_are_told_apart() -> None:
    (found,) = trained(lambda model: model.get_buffer("1.running_mean").add_(1))

    assert (found.weights, found.statistics, found.in_eval) == (0, 2, True)


@pytest.mark.parametrize("evaluate", [nothing, prune])
def test_what_stays_or_is_taken_away_is_not(evaluate: Change) -> None:
    assert trained(evaluate) == []


def test_a_single_call_is_no_evaluation() -> None:
    assert trained(shift, calls=1) == []


def test_weights_that_change_after_every_step_are_known() -> None:
    (found,) = trained(shift, after_step=shift)

    assert found.between == 3
