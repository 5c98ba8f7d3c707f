"""The first module and operation of a bad loss, from its graph alone."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl
from firstlight.guard.statistics.subjects import names_of
from firstlight.guard.tracing import origin_of

Body = Callable[[torch.Tensor], torch.Tensor]


class Net(nn.Module):
    def __init__(self, between: Body) -> None:
        super().__init__()
        self.first, self.last, self.between = nn.Linear(4, 4), nn.Linear(4, 3), between

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.last(self.between(self.first(x)).tanh())
        return made


@pytest.mark.parametrize(
    ("between", "words"),
    [
        (lambda x: (x - x.detach()).log(), "`log` of 32 zero(s)"),
        (lambda x: x / (x - x).norm(dim=1, keepdim=True), "a division by 8 exact zero(s)"),
        (lambda x: x * torch.tensor(float("nan")), "`mul` was given 1 value(s)"),
        (lambda x: -(x**2) - 1, None),
    ],
    ids=["log", "division", "a constant", "healthy"],
)
def test_the_module_before_the_first_bad_number_is_named(between: Body, words: str | None) -> None:
    model = Net(between)
    loss = nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.randint(3, (8,)))
    origin = origin_of(loss, names_of({"model": model}))

    assert origin is not None
    if words is None:
        assert (origin.module, origin.words) == ("last", "")
    else:
        assert origin.module == "first"
        assert words in origin.words


def test_a_bad_batch_is_told_apart_from_a_bad_model() -> None:
    model, batch = Net(lambda x: x), torch.randn(8, 4)
    batch[2, 1] = torch.nan
    origin = origin_of(model(batch).sum(), names_of({"model": model}))

    assert origin is not None
    assert origin.module == "first"
    assert "was given 1 value(s) that are not finite, in an input that carries no gradient" in origin.words


@pytest.mark.parametrize(("targets", "masked"), [([-100] * 8, True), ([-100] * 7 + [1], False)])
def test_a_mean_over_no_targets_is_told_apart(targets: list[int], masked: bool) -> None:
    model = Net(lambda x: x if masked else x / 0)
    loss = nn.functional.cross_entropy(model(torch.randn(8, 4)), torch.tensor(targets))
    origin = origin_of(loss, names_of({"model": model}))

    assert origin is not None
    assert origin.masked is masked


def test_a_bad_weight_is_named() -> None:
    model = Net(lambda x: x)
    with torch.no_grad():
        model.last.bias[0] = torch.inf
    origin = origin_of(model(torch.randn(8, 4)).sum(), names_of({"model": model}))

    assert origin is not None
    assert origin.words == "the weight `last.bias` was not finite before this step"


def test_a_bad_loss_is_one_flag_with_its_module(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Net(lambda x: x.sqrt())
    with torch.no_grad():
        model.first.weight.abs_()
        model.first.bias.fill_(1.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with fl.guard(model, optimizer, directory=tmp_path, capture=None) as guard:
        for step in range(12):
            batch = torch.rand(8, 4) * (-9 if step == 4 else 1)
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(batch), torch.randint(3, (8,))).backward()
            optimizer.step()

    (trip,) = guard.trips
    assert (trip.finding.name, trip.step, trip.module) == ("turns-nonfinite", 4, "first")
    assert "`sqrt` of" in trip.finding.saw


def test_a_loader_that_gives_bad_values_is_told(tmp_path: Path) -> None:
    data = torch.randn(64, 4)
    data[50] = math.nan
    loader = DataLoader(TensorDataset(data, torch.randint(2, (64,))), batch_size=8)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with fl.guard(model, optimizer, directory=tmp_path) as guard:
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()

    (trip,) = guard.trips
    assert (trip.step, trip.finding.cause) == (6, "data-nonfinite")
