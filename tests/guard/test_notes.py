"""What is no red flag is told at the end; and what is measured besides the steps."""

import json
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.guard.batches import Batches
from firstlight.guard.health import room


def run(folder: Path, steps: int = 70, **told: float) -> tuple[Any, list[dict[str, Any]]]:
    torch.manual_seed(0)
    model = nn.Linear(8, 3)
    optimizer = torch.optim.Adam(model.parameters())
    with fl.guard(model, optimizer, directory=folder) as guard:
        for _ in range(steps):
            optimizer.zero_grad()
            model(torch.randn(16, 8)).square().mean().backward()
            if told:
                guard.log(**told)
            optimizer.step()
    assert guard.shield.broken == {}
    assert guard.events is not None
    return guard, [json.loads(line) for line in guard.events.read_text().splitlines()]


def test_a_note_is_a_finding_of_the_log_and_no_flag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guard, lines = run(tmp_path, class_loss=0.5, price_loss=5000.0)

    (note,) = [line for line in lines if line["phase"] == "finding"]
    assert (note["rule_id"], note["severity"]) == ("FL271", "note")
    assert guard.trips == []
    assert "red_flag" not in {line["phase"] for line in lines}
    assert "FL271" not in capsys.readouterr().err


def test_a_healthy_run_has_none(tmp_path: Path) -> None:
    _, lines = run(tmp_path, class_loss=0.5, price_loss=5.0)

    assert "finding" not in {line["phase"] for line in lines}


def test_a_disk_without_room_is_told_of_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = psutil.disk_usage(str(tmp_path))
    monkeypatch.setattr(psutil, "disk_usage", lambda path: real._replace(free=100))
    guard, _ = run(tmp_path, steps=410)

    assert [trip.finding.name for trip in guard.trips] == ["disk-runs-full"]


def test_a_checkpoint_holds_weights_buffers_and_state_once_each(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(4, 4, bias=False), nn.BatchNorm1d(4))
    optimizer = torch.optim.Adam(model.parameters())
    model(torch.randn(8, 4)).sum().backward()
    optimizer.step()
    weights, buffers, state = 16 + 8, 8 * 4 + 8, 2 * (16 + 8) * 4 + 3 * 4

    assert room([model, model], [optimizer], tmp_path)[1] == weights * 4 + buffers + state


@pytest.mark.parametrize(
    ("batch", "labels"),
    [
        ((torch.zeros(3, 2), torch.tensor([0, 2, 2])), {0: 1, 2: 2}),
        ({"x": torch.zeros(2, 2), "y": torch.tensor([1, 1], dtype=torch.uint8)}, {1: 2}),
        ((torch.zeros(2, 2), torch.tensor([0, -100])), {}),
        ((torch.zeros(2, 2), torch.tensor([5, 100_000])), {}),
        ((torch.zeros(2, 2), torch.tensor([0.0, 1.0])), {}),
        ((torch.zeros(2, 2), torch.tensor([0, 1]), torch.tensor([7, 9])), {}),
        (torch.zeros(2, 2), {}),
    ],
    ids=["classes", "small numbers", "ignored ones", "ids", "not whole", "two of them", "none"],
)
def test_labels_are_the_only_whole_numbers_one_an_example(batch: Any, labels: dict[int, int]) -> None:
    batches = Batches()
    batches.came(batch, 0.0)

    assert batches.labels() == labels


@pytest.mark.parametrize(
    ("batch", "size"),
    [
        ((torch.full((40, 8), 3.0), torch.ones(40)), 3.0),
        ((torch.arange(40), torch.full((40, 1), -2.0, dtype=torch.bfloat16)), 2.0),
        ((torch.arange(40), torch.ones(3)), None),
    ],
    ids=["the first", "the first of real numbers", "too few to tell"],
)
def test_a_batch_is_as_large_as_its_inputs(batch: Any, size: float | None) -> None:
    batches = Batches()
    batches.came(batch, 0.0)

    assert batches.size() == size
