"""A guard in the program leaves a report behind, however the training ends."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.guard.attach import Guard
from firstlight.guard.options import OnRed
from firstlight.records import wire
from firstlight.records.report import Report, Verdict
from firstlight.store.run_directory import RunDirectory


def train(
    folder: Path | RunDirectory, steps: int = 12, bad_at: int = -1, on_red: OnRed = "warn", crash_at: int = -1
) -> Guard:
    torch.manual_seed(0)
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with fl.guard(model, optimizer, directory=folder, on_red=on_red) as guard:
        for step in range(steps):
            x = torch.full((8, 4), float("nan")) if step == bad_at else torch.randn(8, 4)
            assert step != crash_at
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), torch.randint(2, (8,))).backward()
            optimizer.step()
    return guard


def report_in(folder: Path) -> Report:
    (path,) = folder.glob(".firstlight/runs/*/report.json")
    return wire.decode(path.read_bytes(), Report)


def test_a_healthy_run_is_clean(tmp_path: Path) -> None:
    train(tmp_path)
    report = report_in(tmp_path)
    assert (report.verdict, report.coverage.steps, report.coverage.ended) == (Verdict.CLEAN, 12, "the guard was closed")
    assert (report.subject.kind, report.findings) == ("run", ())


def test_a_red_flag_makes_it_ill(tmp_path: Path) -> None:
    train(tmp_path, bad_at=5)
    report = report_in(tmp_path)
    assert report.verdict is Verdict.ILL
    assert [finding.name for finding in report.findings] == ["turns-nonfinite"]


def test_a_stop_and_a_crash_are_told(tmp_path: Path) -> None:
    with pytest.raises(fl.RedFlagError):
        train(tmp_path / "stop", bad_at=5, on_red="stop")
    assert report_in(tmp_path / "stop").coverage.ended == "it was ended by RedFlagError"
    with pytest.raises(AssertionError):
        train(tmp_path / "crash", crash_at=5)
    assert report_in(tmp_path / "crash").coverage.ended == "it was ended by AssertionError"


@pytest.mark.parametrize(
    ("end", "status", "ended"),
    [
        ("raise ValueError('theirs')", "crashed", "it was ended by ValueError"),
        ("raise KeyboardInterrupt", "interrupted", "it was ended by KeyboardInterrupt"),
        ("pass", "ok", "the guard was closed"),
    ],
)
@pytest.mark.parametrize("within", [True, False], ids=["with", "bare"])
def test_how_a_program_ended_is_in_its_log_and_its_report(
    within: bool, end: str, status: str, ended: str, tmp_path: Path
) -> None:
    program = f"""
import torch, firstlight as fl
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
def train():
    model(torch.ones(3, 2)).mean().backward()
    optimizer.step()
    {end}
{"with fl.guard(model, optimizer): train()" if within else "guard = fl.guard(model, optimizer); train()"}
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=False, capture_output=True, timeout=120)
    assert (done.returncode == 0) == (status == "ok")
    (log,) = tmp_path.glob(".firstlight/runs/*/events.ndjson")
    last = json.loads(log.read_text().splitlines()[-1])
    assert (last["phase"], last["status"]) == ("run_end", status)
    assert report_in(tmp_path).coverage.ended == ended


def test_a_run_of_a_command_has_the_commands_report(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path)
    train(run)
    assert run.events.exists()
    assert not run.report.exists()


def test_a_guard_that_saw_no_step_leaves_nothing(tmp_path: Path) -> None:
    train(tmp_path, steps=0)
    assert list(tmp_path.iterdir()) == []


def test_a_report_that_cannot_be_written_is_told_and_no_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with fl.guard(model, optimizer, directory=tmp_path) as guard:
        model(torch.randn(3, 2)).mean().backward()
        optimizer.step()
        guard.steps.judge()
        assert guard.run is not None
        guard.run.report.mkdir()
    assert "the report" in guard.shield.broken
    assert "a fault in the report" in capsys.readouterr().err
