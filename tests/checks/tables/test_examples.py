"""Every check of tables catches the data its failing example writes, and none complains about its healthy twin's."""

import runpy
from pathlib import Path

import pytest

from firstlight.checks.catalogue import CATALOGUE
from firstlight.data.judging import judged
from firstlight.data.objects import sources_of
from firstlight.data.said import Said
from firstlight.facts.sources import READ_FROM_TABLES
from firstlight.records.finding import Severity
from firstlight.records.report import Report, Verdict

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
CHECKS = {check.name: check for check in CATALOGUE if check.needs in READ_FROM_TABLES}
VERDICTS = {Severity.ERROR: Verdict.ILL, Severity.WARNING: Verdict.WARN, Severity.NOTE: Verdict.CLEAN}


def told(example: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """What the example wrote, with the target, group and time by the names that examples use."""
    monkeypatch.chdir(folder)
    runpy.run_path(str(example))
    train = Path("train.csv") if Path("train.csv").exists() else Path("train")
    val = Path("val.csv") if Path("val.csv").exists() else None
    header = train.read_text(encoding="utf-8").splitlines()[0].split(",") if train.is_file() else []
    named = {role: name for role, name in (("target", "y"), ("group", "who"), ("time", "when")) if name in header}
    schema = Path("schema.toml") if Path("schema.toml").exists() else None
    said = Said(target=named.get("target"), group=named.get("group"), time=named.get("time"), schema=schema)
    return judged(sources_of({"train": train, "val": val}), said, CATALOGUE, (str(train),))


@pytest.mark.parametrize("name", CHECKS)
def test_the_failing_example_is_caught(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = told(EXAMPLES / name / "fails.py", tmp_path, monkeypatch)

    assert {finding.name for finding in report.findings} == {name}
    severity = Severity.ERROR if name == "images-damaged" else CHECKS[name].severity
    assert report.verdict is VERDICTS[severity]


@pytest.mark.parametrize("name", CHECKS)
def test_the_healthy_twin_is_clean(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = told(EXAMPLES / name / "healthy.py", tmp_path, monkeypatch)

    assert (report.verdict, [f"{finding.name}: {finding.saw}" for finding in report.findings]) == (Verdict.CLEAN, [])
