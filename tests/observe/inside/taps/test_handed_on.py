"""What functions of the program's own hand on of the gradient that they are given."""

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from firstlight.observe.inside import graph, sites
from firstlight.observe.inside.taps.handed_on import HandedOn
from firstlight.records.places import Site

HERE = Site(file="train.py", line=7)


class Passing(torch.autograd.Function):
    """Hands on so many times what it is given."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, times: float) -> torch.Tensor:
        ctx.times = times
        return x.sign()

    @staticmethod
    def backward(ctx: Any, given: torch.Tensor) -> Any:
        return given * ctx.times, None


@pytest.fixture
def cuts(monkeypatch: pytest.MonkeyPatch) -> dict[int, tuple[str, Site]]:
    monkeypatch.setattr(sites, "site_of", lambda *_: HERE)
    return {}


def backward(cuts: dict[int, tuple[str, Site]], layer: torch.nn.Linear, times: float, weight: float = 1.0) -> None:
    observer: Any = SimpleNamespace(shielded=lambda _tap, function: function)
    loss = (weight * Passing.apply(layer(torch.ones(4, 3)), times)).sum()  # type: ignore[no-untyped-call]
    HandedOn(observer, cuts).watch(graph.nodes_behind(loss))
    loss.backward()


def test_one_that_gives_zeros_cuts_off_what_lies_behind_it(cuts: dict[int, tuple[str, Site]]) -> None:
    layer = torch.nn.Linear(3, 2)
    backward(cuts, layer, 0.0)

    assert cuts == {id(layer.weight): ("Passing.backward", HERE), id(layer.bias): ("Passing.backward", HERE)}


@pytest.mark.parametrize(("times", "weight"), [(1.0, 1.0), (1e-30, 1.0), (float("nan"), 1.0), (0.0, 0.0)])
def test_one_that_gives_something_or_is_given_nothing_cuts_nothing(
    cuts: dict[int, tuple[str, Site]], times: float, weight: float
) -> None:
    backward(cuts, torch.nn.Linear(3, 2), times, weight)
    assert cuts == {}


def test_one_that_gives_something_after_all_cuts_nothing_any_more(cuts: dict[int, tuple[str, Site]]) -> None:
    layer = torch.nn.Linear(3, 2)
    backward(cuts, layer, 0.0)
    backward(cuts, layer, 1.0)
    assert cuts == {}


def test_functions_of_libraries_are_not_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: dict[int, tuple[str, Site]] = {}
    monkeypatch.setattr(sites, "site_of", lambda *_: None)
    backward(cuts, torch.nn.Linear(3, 2), 0.0)
    assert cuts == {}
