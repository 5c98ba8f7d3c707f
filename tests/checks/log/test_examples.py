"""Every check of logs catches the log its failing example writes, and none complains about its healthy twin's."""

import runpy
from pathlib import Path

import pytest

from firstlight.checks.catalogue import CATALOGUE
from firstlight.facts.sources import READ_FROM_LOG
from firstlight.logs import validate
from firstlight.records.finding import Severity
from firstlight.records.report import Report, Verdict

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
CHECKS = {check.name: check for check in CATALOGUE if check.needs in READ_FROM_LOG}


def judged(example: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(folder)
    runpy.run_path(str(example))
    return validate(Path("run.ndjson"), "folds", CATALOGUE)


@pytest.mark.parametrize("name", CHECKS)
def test_the_failing_example_is_caught(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = judged(EXAMPLES / name / "fails.py", tmp_path, monkeypatch)

    assert name in [finding.name for finding in report.findings]
    assert (
        report.verdict is (Verdict.ILL if CHECKS[name].severity is Severity.ERROR else Verdict.WARN)
        or name == "log-torn"
    )
    assert {finding.where.file for finding in report.findings} == {"run.ndjson"}


@pytest.mark.parametrize("name", CHECKS)
def test_the_healthy_twin_is_clean(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = judged(EXAMPLES / name / "healthy.py", tmp_path, monkeypatch)

    assert (report.verdict, report.findings) == (Verdict.CLEAN, ())
