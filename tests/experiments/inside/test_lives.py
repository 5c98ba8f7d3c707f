"""Models that are built and trained one after the other: which of them are let go of unused."""

import copy
import gc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import nn

from firstlight.experiments.inside.lives import Lives, _parting
from firstlight.observe.inside import sites
from firstlight.records.given_up import GivenUp
from firstlight.records.places import Site

Use = Callable[[Lives, nn.Module], None]


def ask(lives: Lives, model: nn.Module, training: bool = False) -> None:
    call: Any = SimpleNamespace(module=model, training=training)
    lives.returned(call)


def keep(lives: Lives, model: nn.Module) -> None:
    for weight in model.parameters():
        lives.keeps(weight)


def read(lives: Lives, model: nn.Module) -> None:
    for weight in model.parameters():
        lives.reads(weight)


def nothing(_lives: Lives, _model: nn.Module) -> None:
    """It is let go of."""


def trained(use: Use, last: Use = ask, models: int = 4, rates: tuple[float, ...] = (0.1,), kept: bool = False) -> Any:
    """What is told of models that are built one after the other and put to that use."""
    held: dict[str, Any] = {}
    observer: Any = SimpleNamespace(step=0, reading=False, optimizers=lambda: [held["entry"]])
    lives, shelf = Lives(observer), []
    for number in range(models):
        model = nn.Linear(3, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=rates[number % len(rates)])
        held["entry"] = SimpleNamespace(ref=lambda made=optimizer: made)
        lives.built()
        for _ in range(2):
            ask(lives, model, training=True)
            read(lives, model)
            optimizer.zero_grad()
            model(torch.randn(8, 3)).square().mean().backward()
            optimizer.step()
            lives.stepped(optimizer)
            observer.step += 1
        (last if number == models - 1 else use)(lives, model)
        shelf += [model] if kept else []
        del model, optimizer
        gc.collect()
    return list(lives.seen())


def test_models_that_nobody_asks_are_given_up_where_the_last_one_is_used() -> None:
    (found,) = trained(nothing)

    assert isinstance(found, GivenUp)
    assert (found.lives, found.used, found.model, found.optimizer) == ((2, 2, 2), 1, "Linear", "SGD")


@pytest.mark.parametrize("use", [ask, keep, read])
def test_those_that_are_asked_kept_or_read_are_not(use: Use) -> None:
    assert trained(use) == []


def test_nor_are_those_of_which_none_is_used() -> None:
    assert trained(nothing, last=nothing) == []


def test_nor_those_that_somebody_holds() -> None:
    assert trained(nothing, kept=True) == []


def test_nor_those_that_are_trained_in_other_ways() -> None:
    assert trained(nothing, rates=(0.1, 0.2, 0.3, 0.4)) == []


def test_the_line_is_the_one_where_building_and_stepping_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "site_of", lambda file, line: Site(file=file, line=line))
    built, stepped = [("a.py", 80), ("a.py", 32), ("a.py", 26)], [("a.py", 80), ("a.py", 40)]

    assert _parting(built, stepped) == Site(file="a.py", line=32)
    assert _parting([("a.py", 5)], [("a.py", 5), ("a.py", 2)]) == Site(file="a.py", line=5)
    assert _parting([], stepped) is None


def test_a_copy_made_in_between_is_another_model() -> None:
    observer: Any = SimpleNamespace(step=0, reading=False, optimizers=list)
    lives = Lives(observer)
    keep(lives, copy.deepcopy(nn.Linear(3, 1)))

    assert list(lives.seen()) == []
