"""A guard in the program leaves a report behind, however the training ends."""

from pathlib import Path

import pytest
import torch
from torch import nn

import firstlight as fl
from firstlight.errors import RedFlagError
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
    with pytest.raises(RedFlagError):
        train(tmp_path / "stop", bad_at=5, on_red="stop")
    assert report_in(tmp_path / "stop").coverage.ended == "it was ended by RedFlagError"
    with pytest.raises(AssertionError):
        train(tmp_path / "crash", crash_at=5)
    assert report_in(tmp_path / "crash").coverage.ended == "it was ended by AssertionError"


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
        guard.judge_arrived()
        assert guard.run is not None
        guard.run.report.mkdir()
    assert "the report" in guard.shield.broken
    assert "a fault in the report" in capsys.readouterr().err
