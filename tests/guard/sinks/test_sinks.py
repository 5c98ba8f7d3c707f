"""The guard's numbers in the real trackers, with local back ends, and a sink that is down."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.errors import UsageError
from firstlight.guard.attach import Guard

STEPS = 21


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def train(sink: Any, bad: int | None = None, each: Callable[[int], None] = lambda _: None) -> Guard:
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    with fl.guard(model, optimizer, sinks=(sink,), capture=None) as guard:
        for step in range(STEPS):
            x = torch.randn(4, 3) if step != bad else torch.full((4, 3), torch.inf)
            optimizer.zero_grad()
            model(x).square().mean().backward()
            optimizer.step()
            each(step)
    return guard


def test_lines_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    train("stdout", bad=15)
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    steps = [line for line in told if line["firstlight"] == "step"]
    assert [line["step"] for line in steps] == list(range(STEPS))
    assert steps[15]["loss"] in ("Infinity", "NaN")
    (flag,) = [line for line in told if line["firstlight"] == "red_flag"]
    assert (flag["step"], flag["finding"]["name"]) == (15, "turns-nonfinite")


@pytest.mark.filterwarnings("ignore")
def test_tensorboard() -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    guard = train("tensorboard", bad=15)
    assert guard.run is not None
    found = EventAccumulator(str(guard.run.path / "tensorboard")).Reload()
    assert [point.step for point in found.Scalars("firstlight/loss")][:3] == [0, 10, 15]
    assert any("red flags" in tag for tag in found.Tags()["tensors"])


@pytest.mark.filterwarnings("ignore")
def test_wandb_in_the_programs_own_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import wandb

    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    with wandb.init(project="theirs", dir=str(tmp_path)) as run:
        guard = train("wandb", bad=15, each=lambda step: run.log({"theirs": step}))
        assert guard.shield.broken == {}
        assert run.step == STEPS
        assert run.summary["firstlight/red_flag"] == "FL670 turns-nonfinite at step 15"
        assert run.summary["firstlight/step"] >= 15
    wandb.teardown()


@pytest.mark.filterwarnings("ignore")
def test_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path / 'mlflow.db'}")
    with mlflow.start_run() as theirs:
        guard = train("mlflow", bad=15)
    assert guard.shield.broken == {}
    client = mlflow.tracking.MlflowClient()
    points = client.get_metric_history(theirs.info.run_id, "firstlight/loss")
    assert [point.step for point in points][:2] == [0, 10]
    assert "step 15" in client.get_run(theirs.info.run_id).data.tags["firstlight.FL670"]


class Down:
    def step(self, row: object) -> None:
        raise ConnectionError("nobody answers")

    def flag(self, trip: object) -> None: ...

    def close(self) -> None: ...


def test_a_sink_that_is_down_is_switched_off_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    guard = train(Down(), bad=15)
    assert guard.step == STEPS
    assert len(guard.trips) == 1
    assert guard.shield.broken == {"the sink Down": "ConnectionError: nobody answers"}
    assert capsys.readouterr().err.count("a fault in the sink Down") == 1
    assert guard.events is not None
    assert "the sink Down" in guard.events.read_text()


def test_an_unknown_sink_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="tensorboard"):
        train("tensorbored")


TRACKED = """
import atexit
import torch
import firstlight as fl
from firstlight.guard import sinks


class Tracker:
    def __init__(self, guard):
        atexit.register(print, "the tracker ends")

    def step(self, row): ...

    def flag(self, trip): ...

    def close(self):
        print("its sink is closed")


sinks.SINKS["stdout"] = "__main__:Tracker"
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
guard = fl.guard(model, optimizer, sinks=("stdout",))
model(torch.ones(2, 3)).sum().backward()
optimizer.step()
"""


def test_a_sink_is_closed_before_its_tracker_ends_with_the_program(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TRACKED)
    done = subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["its sink is closed", "the tracker ends"]
