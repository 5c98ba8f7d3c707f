"""The pytest plug-in in a pytest of its own, as a user's project runs it."""

import os
import subprocess
import sys
from pathlib import Path

PROJECT = """
import torch
import pytest
from torch import nn
from torch.nn import functional as F
import firstlight as fl

torch.set_num_threads(1)
INPUTS = torch.randn(128, 4, generator=torch.Generator().manual_seed(0))
BATCHES = list(zip(INPUTS.split(16), (INPUTS[:, 0] > 0).long().split(16)))


def experiment(lr):
    return fl.Experiment(
        model=lambda: nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2)),
        train=BATCHES,
        loss=F.cross_entropy,
        optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=lr),
    )


def test_one(firstlight):
    assert firstlight.check(experiment(1e-2), profile="quick").verdict == "clean"


def test_ill(firstlight):
    firstlight.check(fl.Experiment(model=lambda: None, train=BATCHES))


@pytest.fixture(scope="session")
def firstlight_experiment():
    return experiment(1e-2)


def test_each(firstlight_check):
    firstlight_check()
"""


def run(tmp_path: Path, *words: str) -> str:
    (tmp_path / "test_project.py").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "firstlight.toml").write_text('profile = "quick"\n', encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("FIRSTLIGHT", "PYTEST"))}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words],
        cwd=tmp_path,
        env=environment | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    return done.stdout + done.stderr


def test_an_experiment_is_one_test_and_each_check_is_one(tmp_path: Path) -> None:
    told = run(tmp_path, "-rA")

    assert "PASSED test_project.py::test_one" in told
    assert "PASSED test_project.py::test_each[examples-not-learnable]" in told
    assert "SKIPPED" in told
    assert "FAILED test_project.py::test_ill" in told
    assert "it gave a NoneType, not a torch.nn.Module" in told
    assert "1 failed" in told


def test_a_missing_experiment_is_told_once_and_not_for_every_check(tmp_path: Path) -> None:
    (tmp_path / "test_lacking.py").write_text(
        "def test_each(firstlight_check):\n    firstlight_check()\n", encoding="utf-8"
    )
    told = run(tmp_path, "test_lacking.py")

    assert told.count("needs a fixture `firstlight_experiment` of scope session") == 1, told
    assert "Traceback" not in told
    assert "1 error" in told


def test_the_plug_in_costs_a_session_nothing_that_does_not_use_it(tmp_path: Path) -> None:
    """It is loaded by entry point into every session of the environment."""
    (tmp_path / "test_other.py").write_text(
        "import sys\ndef test_it():\n    assert not {'torch', 'msgspec'} & set(sys.modules)\n", encoding="utf-8"
    )
    told = run(tmp_path, "test_other.py")

    assert "1 passed" in told
