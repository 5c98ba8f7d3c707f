"""The page of a real run, from the command to the file."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import firstlight as package
from firstlight.errors import UsageError
from firstlight.records.report import Report
from firstlight.report import html
from firstlight.report.of_run import chronicle_of, report_of, write_page
from firstlight.store.event_log import EventLog, read
from firstlight.store.run_directory import RunDirectory

Run = Callable[..., subprocess.CompletedProcess[str]]
DEMO = Path(package.__file__).parent / "demo" / "train_buggy.py"


def test_a_check_leaves_a_page_and_the_report_command_gives_the_same(command: Run, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_bytes(DEMO.read_bytes())
    done = command("check", "--profile", "quick", "--steps", "10", "train.py")
    assert done.returncode == 1, done.stderr
    run = RunDirectory.find(tmp_path, "last")
    page = run.page.read_text(encoding="utf-8")
    assert f"page     .firstlight/runs/{run.id}/report.html" in done.stdout
    for wanted in ('data-plot="loss"', 'data-plot="layers-grad_norm"', "scores.softmax(dim=1)", "50 × 10", "hidden.1"):
        assert wanted in page, wanted
    (tmp_path / "train.py").write_text("changed since\n")
    assert command("report", "--format", "html", "--output", "again.html").returncode == 0
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == page


def test_a_page_that_cannot_be_drawn_costs_no_verdict(
    run: Path, report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = RunDirectory(run)
    directory.page.mkdir()
    log = EventLog(directory.events, "x")
    write_page(directory, log, report)
    log.close()
    *_, last = read(directory.events)
    assert (last["phase"], last["type"]) == ("exception", "IsADirectoryError")


def test_a_run_on_disk_is_read_back(run: Path, report: Report) -> None:
    directory = RunDirectory(run)
    assert report_of(directory).findings[0].name == report.findings[0].name
    assert chronicle_of(directory).predictions.steps == (0, 10, 20, 30, 40, 50)
    assert "Predictions" in html.render(report_of(directory), chronicle_of(directory))


def test_a_run_without_a_report_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no report\.json"):
        report_of(RunDirectory(tmp_path))
