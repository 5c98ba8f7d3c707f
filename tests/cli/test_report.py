"""`firstlight report`: an earlier run again."""

import json
import os
from pathlib import Path

import pytest

from firstlight.cli.main import run as firstlight
from firstlight.records import wire
from firstlight.records.report import REPORT_SCHEMA, Coverage, Report, Subject, Timing, Verdict
from firstlight.remains import CUT_SHORT

NAMES = ("20260101-120000-aaaaaa", "20260102-120000-bbbbbb")


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / ".firstlight" / "runs"
    for name in NAMES:
        (folder / name).mkdir(parents=True)
        report = Report(
            schema=REPORT_SCHEMA,
            subject=Subject(kind="script", command=("train.py", name), run=f".firstlight/runs/{name}"),
            verdict=Verdict.CLEAN,
            findings=(),
            diagnosis=(),
            checks=(),
            coverage=Coverage(steps=2, ended="the script finished"),
            timing=Timing(started="2026-01-01T00:00:00Z", seconds=1.0),
            environment={},
        )
        (folder / name / "report.json").write_bytes(wire.encode(report))
        steps = [{"phase": "step", "step": step, "loss": 1.5 - step} for step in range(2)]
        text = "".join(json.dumps(step) + "\n" for step in steps) + '{"torn'
        (folder / name / "events.ndjson").write_text(text)
    return folder


@pytest.mark.parametrize("word", [[], ["last"], [NAMES[1]], ["20260102"], [f".firstlight/runs/{NAMES[1]}"]])
def test_a_run_is_found_by_its_directory_its_id_the_beginning_of_it_or_as_the_last(
    runs: Path, capsys: pytest.CaptureFixture[str], word: list[str]
) -> None:
    assert firstlight(["report", *word, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["subject"]["command"] == ["train.py", NAMES[1]]


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("20260109-120000-bbbbbb", f"Near it: {NAMES[1]}"),
        ("nonsense", f"The newest: {NAMES[1]}, {NAMES[0]}"),
        ("202601", f"begins 2 runs, {NAMES[0]}, {NAMES[1]} among them"),
    ],
)
def test_a_run_that_is_not_there_names_those_that_are(
    runs: Path, capsys: pytest.CaptureFixture[str], word: str, wanted: str
) -> None:
    assert firstlight(["report", word]) == 2
    assert wanted in capsys.readouterr().err


def test_without_any_run_it_says_how_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert firstlight(["report"]) == 2
    assert "`firstlight check train.py` makes one" in capsys.readouterr().err


def test_a_run_that_was_not_judged_is_told_by_its_log(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (runs / NAMES[1] / "report.json").unlink()
    assert firstlight(["report", "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["verdict"], told["coverage"]["ended"]) == ("unjudged", CUT_SHORT)
    (runs / NAMES[1] / "events.ndjson").unlink()
    assert firstlight(["report"]) == 2
    assert "has not been judged" in capsys.readouterr().err


def test_a_report_that_is_no_report_is_no_fault_of_ours(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (runs / NAMES[1] / "report.json").write_text('{"schema": "other/1"}')
    assert firstlight(["report"]) == 2
    assert "is not a report that this version understands" in capsys.readouterr().err


def test_the_page_goes_to_a_file_whole(runs: Path, tmp_path: Path) -> None:
    assert firstlight(["report", "--format", "html", "--output", "page.html"]) == 0
    assert '"y":[1.5,0.5]' in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert not (tmp_path / "page.html.partial").exists()


def test_open_hands_the_page_of_the_run_to_the_browser(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/shown\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", os.fspath(browser))
    monkeypatch.setattr("webbrowser._tryorder", None)
    monkeypatch.setattr("webbrowser._browsers", {})
    assert firstlight(["report", "--open"]) == 0
    page = runs / NAMES[1] / "report.html"
    assert (tmp_path / "shown").read_text().strip() == page.as_uri()
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
