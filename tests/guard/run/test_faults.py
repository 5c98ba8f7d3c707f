"""What may go wrong on our side while a program runs: it goes on, and the report says what was lost."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TRAIN = """
import sys, time
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
for step in range(400):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
    time.sleep(0.003)
print("weights", model.weight.sum().item())
"""
SABOTAGE = """
import dataclasses
from firstlight.guard.run import inside
def find(fact, limits):
    raise ValueError("a fault of ours")
judge = inside._attached.guard.judge
broken = lambda check: dataclasses.replace(check, find=find) if check.name == "turns-nonfinite" else check
judge.checks = tuple(map(broken, judge.checks))
"""


def run(folder: Path, source: str, limit: Callable[[], None] | None = None, **extra: str) -> Any:
    (folder / "train.py").write_text(source, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "firstlight", "run", "--no-check", "train.py"],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", **extra},
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


@pytest.fixture
def weights(tmp_path: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", TRAIN],
        cwd=tmp_path,
        env={"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def report_of(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob(".firstlight/runs/*/report.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def test_a_disk_that_is_full(tmp_path: Path, weights: str) -> None:
    """No file may grow beyond 30 kB: the log fails in the middle of the run, as on a full disk."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))

    done = run(tmp_path, TRAIN, limit)
    assert done.returncode == 0, done.stderr
    assert done.stdout == weights
    assert "lines of the log were lost" in done.stderr
    assert 0 < report_of(tmp_path)["coverage"]["steps"] < 400


def test_a_folder_that_cannot_be_written_to(tmp_path: Path, weights: str) -> None:
    (tmp_path / ".firstlight").write_text("a file in the way")
    done = run(tmp_path, TRAIN, TMPDIR=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stdout == weights
    assert "cannot make the run directory" in done.stderr
    assert (tmp_path / ".firstlight").read_text() == "a file in the way"


def test_a_check_that_fails(tmp_path: Path) -> None:
    """It is switched off, the training goes on, and the report names it."""
    source = TRAIN.replace("from torch import nn\n", "from torch import nn\n" + SABOTAGE)
    done = run(tmp_path, source.replace("torch.randn(8, 4)", "torch.randn(8, 4) / (step != 300)"))
    assert done.returncode == 0, done.stderr
    assert done.stdout == "weights nan\n"
    report = report_of(tmp_path)
    assert [check["status"] for check in report["checks"] if check["name"] == "turns-nonfinite"] == ["crashed"]
    (told,) = [finding for finding in report["findings"] if finding["name"] == "check-crashed"]
    assert "a fault of ours" in told["saw"]
