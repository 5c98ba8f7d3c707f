"""Every check of a declared experiment catches its failing example and leaves its healthy twin alone."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import firstlight as fl
from firstlight.checks.catalogue import CATALOGUE, named
from firstlight.facts.sources import DECLARED
from firstlight.records import wire
from firstlight.records.finding import Finding, Severity
from firstlight.records.report import Report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SLOW = "probe-overruns"
"""Its failing example takes as long as a probe may; `test_rooms.py` shows the same in a second."""
APART = ("features-damaged", "features-look-ahead")
"""Their tables want pandas, whose threads, once other tests have started them, do not outlive the fork of a probe."""
NAMES = sorted(check.name for check in CATALOGUE if check.needs in DECLARED)


def judged(name: str, twin: str) -> Report:
    if name in APART:
        return judged_apart(name, twin)
    experiment = runpy.run_path(str(EXAMPLES / name / f"{twin}.py"))["experiment"]
    return fl.preflight(experiment, profile="standard", select=[name])


def judged_apart(name: str, twin: str) -> Report:
    declared = f"{EXAMPLES / name / twin}.py:experiment"
    command = [sys.executable, "-m", "firstlight", "check", "--select", name, "--format", "json", declared]
    done = subprocess.run(command, capture_output=True, check=False)
    return wire.decode(done.stdout, Report)


def loud(report: Report) -> list[str]:
    """Each name once: two layers may have the same illness. A note counts where the check has nothing louder."""
    found = [
        finding.name for finding in report.findings if finding.severity is not Severity.NOTE or only_notes(finding)
    ]
    return list(dict.fromkeys(found))


def only_notes(finding: Finding) -> bool:
    check = named(finding.name)
    return check is not None and check.severity is Severity.NOTE


@pytest.fixture(autouse=True)
def _somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", [name for name in NAMES if name != SLOW])
def test_the_failing_example_is_caught(name: str) -> None:
    assert loud(judged(name, "fails")) == [name]


@pytest.mark.parametrize("name", NAMES)
def test_the_healthy_twin_is_clean(name: str) -> None:
    report = judged(name, "healthy")

    assert loud(report) == []
    assert next(check for check in report.checks if check.name == name).status == "clean"
