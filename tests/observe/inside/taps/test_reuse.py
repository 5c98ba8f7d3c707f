"""What was loaded into a model is looked at again when the model is next called."""

import copy
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.observe.inside.taps.reuse import Reuse
from firstlight.records.restored import Reused


@pytest.fixture
def told() -> list[Any]:
    return []


@pytest.fixture
def reuse(told: list[Any]) -> Reuse:
    observer: Any = SimpleNamespace(step=10, emit=told.append)
    return Reuse(observer)


def model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(6, 40), nn.ReLU(), nn.Linear(40, 30))


def load(reuse: Reuse, module: nn.Module) -> None:
    state = copy.deepcopy(module.state_dict())
    reuse.loaded(module, state)


def call(reuse: Reuse, module: nn.Module) -> None:
    given: Any = SimpleNamespace(module=module)
    reuse.returned(given)


def test_layers_initialised_since_are_counted(reuse: Reuse, told: list[Any]) -> None:
    module = model()
    load(reuse, module)
    module[0].reset_parameters()  # type: ignore[operator]  # of a layer
    call(reuse, module)

    (found,) = told
    assert isinstance(found, Reused)
    assert (found.tensors, found.changed, found.first_changed) == (4, 2, "0.weight")


def test_rounding_changes_nothing_that_counts(reuse: Reuse, told: list[Any]) -> None:
    module = model()
    load(reuse, module)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(parameter.half())
    call(reuse, module)

    assert [found.changed for found in told] == [0]


def test_it_is_told_once_and_by_way_of_a_larger_model(reuse: Reuse, told: list[Any]) -> None:
    module = model()
    load(reuse, module)
    call(reuse, model())
    assert told == []

    call(reuse, nn.Sequential(module, nn.Linear(30, 2)))
    call(reuse, module)
    assert [found.changed for found in told] == [0]


def test_steps_may_change_what_was_loaded(reuse: Reuse, told: list[Any]) -> None:
    module = model()
    load(reuse, module)
    reuse.observer.step = 11
    call(reuse, module)

    assert told == []


def test_names_that_do_not_fit_were_not_loaded(reuse: Reuse, told: list[Any]) -> None:
    module = model()
    reuse.loaded(module, {"elsewhere": torch.zeros(1)})
    call(reuse, module)

    assert told == []
