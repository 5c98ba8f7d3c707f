"""A red flag leaves an artifact from which the very step can be done again, and the training goes on as it would."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import firstlight as fl
from firstlight.guard.attach import Guard
from firstlight.guard.capture.surroundings import every_random, set_random
from firstlight.guard.replay.material import Material
from firstlight.records.artifact import Manifest
from firstlight.store import artifacts

BAD = 6


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 2))


def per_row(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    rows: torch.Tensor = (model(x) - y).square().sum(1) / x[:, 0]
    return rows


def loss_of(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return per_row(model, x, y).mean()


def train(
    guarded: bool = True, bad: bool = True, accumulate: int = 1, **options: Any
) -> tuple[nn.Module, Guard | None]:
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    x, y = torch.rand(80, 4) + 0.1, torch.rand(80, 2)
    if bad:
        x[BAD * 4 * accumulate + 2, 0] = 0.0
    guard = fl.guard(model, optimizer, **options) if guarded else None
    for at, (xb, yb) in enumerate(DataLoader(TensorDataset(x, y), batch_size=4)):
        (loss_of(model, xb, yb) / accumulate).backward()
        if (at + 1) % accumulate == 0:
            optimizer.step()
            optimizer.zero_grad()
    if guard is not None:
        guard.close()
    return model, guard


def captured(guard: Guard | None) -> tuple[Manifest, Material]:
    assert guard is not None
    assert guard.run is not None
    (folder,) = guard.run.artifacts.iterdir()
    return artifacts.read(folder).manifest, Material.read(folder)


def test_the_step_can_be_done_again_to_the_bit() -> None:
    """Weights up to the bad step from a run of its own; the captured ones must be those, and give the same losses."""
    _, guard = train()
    manifest, material = captured(guard)
    assert (manifest.step, manifest.before_step) == (BAD, BAD)
    model = network()
    assert material.load_model(model) == "model"
    set_random(material.random)
    x, y = material.batches[0]
    again = per_row(model, x, y)[x[:, 0] > 0]

    twin = network()
    optimizer = torch.optim.Adam(twin.parameters(), lr=0.01)
    data, targets = torch.rand(80, 4) + 0.1, torch.rand(80, 2)
    data[BAD * 4 + 2, 0] = 0.0
    for at, (xb, yb) in enumerate(DataLoader(TensorDataset(data, targets), batch_size=4)):
        if at == BAD:
            assert all(torch.equal(a, b) for a, b in zip(twin.parameters(), model.parameters(), strict=True))
            assert torch.equal(per_row(twin, xb, yb)[xb[:, 0] > 0], again)
            break
        optimizer.zero_grad()
        loss_of(twin, xb, yb).backward()
        optimizer.step()


def test_the_optimizer_can_go_on_from_there() -> None:
    _, guard = train()
    _, material = captured(guard)
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    assert material.load_optimizer(optimizer) == "optimizer"
    assert all(state["step"].item() == BAD for state in optimizer.state.values())


@pytest.mark.parametrize("keep", ["off", "host", "device"])
def test_the_training_is_bit_identical(keep: str) -> None:
    plain, _ = train(guarded=False, bad=False)
    torch.manual_seed(0)
    watched, guard = train(bad=False, capture=fl.Capturing(keep=keep, every=1))  # type: ignore[arg-type]
    assert guard is not None
    assert guard.trips == []
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), watched.parameters(), strict=True))


def test_all_micro_batches_of_a_step_are_kept() -> None:
    _, guard = train(accumulate=2)
    manifest, material = captured(guard)
    assert manifest.step == BAD
    assert [tuple(batch[0].shape) for batch in material.batches] == [(4, 4), (4, 4)]
    assert len(material.inputs) == 2


def test_the_manifest_says_where_it_happened() -> None:
    _, guard = train()
    manifest, _ = captured(guard)
    assert manifest.check == "FL670 turns-nonfinite"
    assert manifest.window[-1]["step"] == BAD
    assert manifest.environment["torch"] == torch.__version__
    assert any("test_capture.py" in frame for frame in manifest.stack)
    assert manifest.config["lr"] == [0.01]


def test_inputs_can_be_left_out() -> None:
    _, guard = train(capture=fl.Capturing(batches=False))
    manifest, material = captured(guard)
    assert (material.batches, material.inputs) == ([], [])
    assert [left.part for left in manifest.left_out] == ["before/batch"]


def test_capture_can_be_switched_off() -> None:
    _, guard = train(capture=None)
    assert guard is not None
    assert guard.run is not None
    assert len(guard.trips) == 1
    assert not guard.run.artifacts.exists()


def test_an_artifact_that_cannot_be_written_costs_only_itself() -> None:
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    guard = fl.guard(model, optimizer)
    for at in range(BAD + 3):
        optimizer.zero_grad()
        x = torch.rand(4, 4) if at != BAD else torch.full((4, 4), torch.inf)
        model(x).sum().backward()
        optimizer.step()
        if guard.run is not None and not guard.run.artifacts.exists():
            guard.run.artifacts.write_text("a file in the way")
    guard.close()
    assert guard.step == BAD + 3
    assert any("Capture._tripped" in part for part in guard.shield.broken)
    assert guard.events is not None
    assert "cannot write the artifact" in guard.events.read_text()


def test_random_state_comes_back() -> None:
    import random

    import numpy as np

    state = every_random()
    first = (torch.rand(2).tolist(), random.random(), np.random.rand())
    set_random(state)
    assert (torch.rand(2).tolist(), random.random(), np.random.rand()) == first
