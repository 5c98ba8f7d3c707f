"""Every check of a live run catches its failing example and leaves its healthy twin alone, attached from outside."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.sources import LIVE
from firstlight.guard.attach import Guard
from firstlight.guard.inside import install
from firstlight.guard.options import Options
from firstlight.guard.predictions import FIRST
from firstlight.records.finding import Severity
from firstlight.records.live import EvalTrack, RankTrack, RoomTrack, ScoreTrack, TermTrack

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
TELLING = (EvalTrack, ScoreTrack, TermTrack)
ELSEWHERE = (*TELLING, RankTrack, RoomTrack)
"""Facts that need what the program tells, several processes, or a full disk."""
OF_THE_PROCESS = ("memory-climbs",)
"""Judged by what the whole process holds, of which the other tests of this one are a part."""
NAMES = sorted(
    check.name
    for check in CATALOGUE
    if check.needs in LIVE and check.needs not in ELSEWHERE and check.name not in OF_THE_PROCESS
)


def guarded(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Guard:
    monkeypatch.setattr(sys, "argv", [str(path)])
    inside = install(Options(directory=folder, every=20, cost=None, fixed_batch=FIRST))
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        inside.remove()
    assert inside.guard.shield.broken == {}
    assert inside.guard.judge.crashed == {}
    return inside.guard


@pytest.mark.parametrize("name", NAMES)
def test_the_failing_example_is_caught(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guard = guarded(EXAMPLES / name / "fails.py", tmp_path, monkeypatch)
    assert name in [finding.name for finding in guard.judge.incidents.values()]


@pytest.mark.parametrize("name", NAMES)
def test_the_healthy_twin_is_left_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guard = guarded(EXAMPLES / name / "healthy.py", tmp_path, monkeypatch)
    assert [finding.saw for finding in guard.judge.incidents.values() if finding.severity is not Severity.NOTE] == []


TOLD = sorted(check.name for check in CATALOGUE if check.needs in TELLING)


def findings(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of a program that has a guard of its own and tells it what only the program knows."""
    monkeypatch.chdir(folder)
    runpy.run_path(str(path), run_name="__main__")
    return logged(folder)


def logged(folder: Path) -> list[str]:
    (events,) = folder.glob(".firstlight/runs/*/events.ndjson")
    found = [json.loads(line) for line in events.read_text().splitlines()]
    return [event["finding"]["name"] for event in found if event["phase"] == "finding"]


@pytest.mark.parametrize("name", TOLD)
def test_what_the_program_tells_is_judged(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert name in findings(EXAMPLES / name / "fails.py", tmp_path, monkeypatch)


@pytest.mark.parametrize("name", TOLD)
def test_healthy_numbers_are_left_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert findings(EXAMPLES / name / "healthy.py", tmp_path, monkeypatch) == []


def alone(path: Path, folder: Path) -> list[str]:
    """What a guarded run in a process of its own finds."""
    command = [sys.executable, "-m", "firstlight", "run", "--no-check", str(path)]
    subprocess.run(command, cwd=folder, check=False, timeout=300, capture_output=True)
    return logged(folder)


@pytest.mark.parametrize("name", OF_THE_PROCESS)
def test_a_process_that_fails_is_caught(name: str, tmp_path: Path) -> None:
    assert name in alone(EXAMPLES / name / "fails.py", tmp_path)


@pytest.mark.parametrize("name", OF_THE_PROCESS)
def test_a_healthy_process_is_left_alone(name: str, tmp_path: Path) -> None:
    assert alone(EXAMPLES / name / "healthy.py", tmp_path) == []
