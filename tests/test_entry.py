"""The way in: a `firstlight` of the user's own never gets between us and them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = """
import torch
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    model(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()
print("trained")
"""


def python(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", **variables},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(params=["firstlight.py", "firstlight/__init__.py"])
def shadowed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A script beside something that has our name, and is not to be imported by us."""
    theirs = tmp_path / request.param
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("raise RuntimeError('theirs')\n")
    (tmp_path / "train.py").write_text(TRAIN)
    return tmp_path


def test_torch_is_imported_beside_a_module_of_our_name(shadowed: Path) -> None:
    ended = python(shadowed, "train.py")
    assert (ended.returncode, ended.stdout) == (0, "trained\n"), ended.stderr


def test_a_check_observes_beside_it(shadowed: Path) -> None:
    cli = str(Path(sys.executable).parent / "firstlight")
    ended = python(shadowed, cli, "check", "--profile", "quick", "train.py")
    assert "5 steps" in ended.stdout, ended.stdout + ended.stderr


def test_a_real_run_keeps_its_own_and_goes_unguarded(shadowed: Path) -> None:
    cli = str(Path(sys.executable).parent / "firstlight")
    ended = python(shadowed, cli, "run", "--no-check", "train.py")
    assert ended.returncode == 0
    assert "trained" in ended.stdout
    assert "has the name of firstlight" in ended.stderr


@pytest.mark.parametrize("variable", ["FIRSTLIGHT_SESSION", "FIRSTLIGHT_GUARD"])
@pytest.mark.parametrize("file", ["/nowhere/session.json", "/dev/null"])
def test_whatever_fails_torch_is_imported(tmp_path: Path, variable: str, file: str) -> None:
    ended = python(tmp_path, "-c", "import torch; print(torch.ones(2).sum().item())", **{variable: file})
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "2.0\n", "")
