"""What fails because of us is never told as the user's."""

import functools
import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Run

HEAD = """
import os, subprocess, sys, torch
from torch import nn
torch.manual_seed(0)
def train(model, steps=12):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        x = torch.randn(16, 4)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long()).backward()
        optimizer.step()
class Odd(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 2)
    def forward(self, x):
        return self.inner(x)
"""
TRACED = """
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
traced = torch.jit.trace(model, torch.randn(2, 4))
train(model)
train(torch.jit.trace(model, torch.randn(2, 4)))
torch.jit.script(model)(torch.randn(2, 4))
"""
EXPORTED = """
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
train(model)
torch.export.export(model, (torch.randn(2, 4),))
train(torch.fx.symbolic_trace(model))
"""
EQUAL = "Odd.__eq__ = lambda *_: 1 / 0\nOdd.__hash__ = nn.Module.__hash__\ntrain(Odd())\n"
TRUTH = "Odd.__bool__ = Odd.__len__ = Odd.__repr__ = Odd.__iter__ = lambda *_: 1 / 0\ntrain(Odd())\n"
NAMES = (
    "open(b'bad-\\xff.txt', 'w').close()\ntrain(Odd())\ntorch.save(Odd().state_dict(), os.fsdecode(b'w-\\xff.pt'))\n"
)
OURS = "train(Odd())\nif 'firstlight.observe.inside.observer' in sys.modules:\n    raise ValueError('only observed')\n"
THEIRS = "train(Odd())\nraise ValueError('always')\n"
REFUSED = "subprocess.run(['touch', OUTSIDE], check=True)\ntrain(Odd())\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder beside which there is another place to write to."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def check(run: Run, folder: Path, source: str, name: str = "train.py") -> tuple[int, dict[str, Any]]:
    (folder / name).write_text(f"OUTSIDE = {str(folder.parent / 'outside')!r}\n" + HEAD + source, encoding="utf-8")
    done = run("check", "--profile", "quick", "--format", "json", name)
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize(
    "source", [TRACED, EXPORTED, EQUAL, TRUTH, NAMES], ids=["traced", "exported", "equal", "truth", "names"]
)
def test_a_program_that_only_we_could_break_is_clean(command: Run, project: Path, source: str) -> None:
    code, report = check(command, project, source)
    assert (code, report["verdict"]) == (0, "clean"), report


def test_a_script_whose_name_is_not_unicode_is_checked(firstlight: Run, project: Path) -> None:
    run = functools.partial(firstlight, cwd=project)
    assert check(run, project, "train(Odd())\n", os.fsdecode(b"train-\xff.py"))[0] == 0


def test_a_crash_that_is_only_seen_under_observation_is_our_fault(firstlight: Run, project: Path) -> None:
    code, report = check(functools.partial(firstlight, cwd=project), project, OURS)
    assert (code, report["verdict"], report["findings"]) == (3, "unjudged", [])
    assert report["coverage"]["fault"] == "ValueError: only observed"
    assert "a fault in firstlight, not in your program" in report["reason"]


def test_a_crash_that_is_always_there_is_theirs(command: Run, project: Path) -> None:
    code, report = check(command, project, THEIRS)
    assert (code, [finding["name"] for finding in report["findings"]]) == (1, ["script-crashed"])
    assert report["output_tail"][-1] == "ValueError: always"


def test_a_crash_by_what_the_floor_refused_is_told_as_that(command: Run, project: Path, tmp_path: Path) -> None:
    code, report = check(command, project, REFUSED)
    if report["coverage"]["floor"] == "none":
        pytest.skip("this machine has no floor")
    assert (code, report["verdict"], report["findings"]) == (2, "unjudged", [])
    assert f"could not write to {tmp_path / 'outside'}" in report["reason"]
    assert not (tmp_path / "outside").exists()
