"""One incident is one flag: at its first bad step, with the batch that did it, and what came of it under it."""

import copy
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl
from firstlight.guard.attach import Guard
from firstlight.guard.replay.material import Material
from firstlight.guard.run.ending import read

STEPS = 60
BAD = 40


def network() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))


def train(
    optimizer: torch.optim.Optimizer,
    model: nn.Module,
    answer: Callable[[int, torch.Tensor], torch.Tensor],
    steps: int = STEPS,
    sign: float = 1.0,
) -> None:
    for step in range(steps):
        x = torch.randn(16, 6)
        loss = sign * nn.functional.mse_loss(model(x), answer(step, x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def total(_step: int, x: torch.Tensor) -> torch.Tensor:
    return x.sum(dim=1, keepdim=True)


def glitch(step: int, x: torch.Tensor) -> torch.Tensor:
    return total(step, x) - (4e3 if step == BAD else 0)


def guarded(tmp_path: Path, model: nn.Module, *optimizers: torch.optim.Optimizer) -> Guard:
    return fl.guard(model, *optimizers, directory=tmp_path, cost=None)


def test_what_follows_from_a_leap_stands_under_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with guarded(tmp_path, model, optimizer) as guard:
        train(optimizer, model, glitch)

    (trip,) = guard.trips
    assert (trip.finding.name, trip.step) == ("gradients-blow-up", BAD)
    assert capsys.readouterr().err.count("since then also FL670 turns-nonfinite") == 1
    assert guard.events is not None
    (finding,) = read(guard.events).findings
    assert [witness.id for witness in finding.witnesses] == ["FL671", "FL670"]


def test_a_run_without_the_glitch_is_quiet(tmp_path: Path) -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    with guarded(tmp_path, model, optimizer) as guard:
        train(optimizer, model, total)
    assert guard.trips == []


def test_a_target_that_is_not_a_number_is_named_with_its_row(tmp_path: Path) -> None:
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def gap(step: int, x: torch.Tensor) -> torch.Tensor:
        y = total(step, x)
        y[3] = y[3] if step != BAD else torch.nan
        return y

    with guarded(tmp_path, model, optimizer) as guard:
        train(optimizer, model, gap)

    (trip,) = guard.trips
    assert (trip.step, trip.finding.cause) == (BAD, "data-nonfinite")
    assert (
        "the target that `mseloss` was given holds 1 value(s) that are not finite, in row 3 of 16" in trip.finding.saw
    )


@pytest.mark.parametrize(("sign", "causes"), [(-1.0, ["loss-sign"]), (1.0, [])])
def test_a_negated_loss_is_one_incident_that_says_so(tmp_path: Path, sign: float, causes: list[str]) -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with guarded(tmp_path, model, optimizer) as guard:
        train(optimizer, model, total, sign=sign)
    assert [trip.finding.cause for trip in guard.trips] == causes


@pytest.mark.parametrize(("times", "causes"), [(4000.0, ["train-checkpoint"]), (0.0, [])])
def test_a_momentum_of_another_run_is_told_at_the_first_step(tmp_path: Path, times: float, causes: list[str]) -> None:
    model = network()
    first = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    second = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    with guarded(tmp_path, model, first, second) as guard:
        train(first, model, total)
        state = copy.deepcopy(first.state_dict())
        for held in state["state"].values():
            held["momentum_buffer"] += times * torch.randn_like(held["momentum_buffer"])
        second.load_state_dict(state)
        train(second, model, total, steps=20)

    assert [(trip.finding.cause, trip.step) for trip in guard.trips] == [(cause, STEPS) for cause in causes]
    assert guard.step == STEPS + 20


def test_optimizers_that_take_turns_share_the_count(tmp_path: Path) -> None:
    one, other = network(), network()
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.01) for model in (one, other)]
    with fl.guard(one, other, *optimizers, directory=tmp_path, cost=None) as guard:
        for _ in range(5):
            for model, optimizer in zip((one, other), optimizers, strict=True):
                train(optimizer, model, total, steps=1)
    assert [watch.step for watch in guard.watches] == [5, 5]


def test_a_crash_in_a_step_is_kept_like_a_flag(tmp_path: Path) -> None:
    torch.manual_seed(0)
    ids = torch.randint(0, 10, (80, 3))
    ids[50] = 10
    model = nn.Sequential(nn.Embedding(10, 4), nn.Flatten(), nn.Linear(12, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    guard = guarded(tmp_path, model, optimizer)

    def epoch() -> None:
        for (batch,) in DataLoader(TensorDataset(ids), batch_size=8):
            loss = model(batch).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    with pytest.raises(IndexError), guard:
        epoch()

    assert guard.run is not None
    (folder,) = guard.run.artifacts.iterdir()
    material = Material.read(folder)
    assert (folder.name, material.step) == ("6-script-crashed", 6)
    assert torch.equal(material.batches[0][0], ids[48:56])
    assert torch.equal(material.models["model"]["0.weight"], model[0].weight)  # type: ignore[arg-type]


def test_a_crash_between_two_steps_leaves_nothing(tmp_path: Path) -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    guard = guarded(tmp_path, model, optimizer)
    train(optimizer, model, total, steps=3)
    guard.__exit__(ValueError, ValueError("later"), None)
    assert guard.run is not None
    assert not guard.run.artifacts.exists()
