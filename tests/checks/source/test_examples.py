"""Every check of sources finds its failing example and leaves its healthy twin alone, and so do all others."""

from pathlib import Path

import pytest
from tests.checks.source.conftest import Hold

from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.facts.sources import READ_FROM_SOURCE
from firstlight.linting import Linter
from firstlight.records.finding import Finding, Severity

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
CHECKS = [check for check in CATALOGUE if check.needs in READ_FROM_SOURCE]

every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)


def linted(path: Path) -> tuple[Finding, ...]:
    return Linter(CHECKS, path.parent).entry(path, path.read_bytes()).findings


@every_check
def test_the_failing_example_is_found(check: Check, hold: Hold) -> None:
    path = EXAMPLES / check.name / "fails.py"
    found = linted(path)
    hold(path.read_text(encoding="utf-8", errors="replace"), f"example of {check.name}", found)

    assert check.name in {finding.name for finding in found}
    assert all(finding.where.file == "fails.py" and finding.where.line for finding in found)


@every_check
def test_the_healthy_twin_is_clean(check: Check) -> None:
    found = linted(EXAMPLES / check.name / "healthy.py")

    assert [finding.name for finding in found if finding.severity is not Severity.NOTE or finding.id == check.id] == []


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/healthy.py")), ids=lambda path: path.parent.name)
def test_healthy_programs_of_all_checks_are_clean(path: Path) -> None:
    loud = [(finding.name, finding.saw) for finding in linted(path) if finding.severity is not Severity.NOTE]

    assert loud == []
