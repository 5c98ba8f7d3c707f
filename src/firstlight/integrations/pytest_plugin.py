"""The pytest plug-in: a declared experiment as one test, or each check of it as a test of its own.

    def test_training(firstlight):
        firstlight.check(experiment)

    @pytest.fixture(scope="session")
    def firstlight_experiment():
        return experiment

    def test_each_check(firstlight_check):
        firstlight_check()

Loaded into every pytest session, so it imports nothing until one of these is used.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from firstlight.records.finding import Finding
    from firstlight.records.report import Report

LACKING = "`firstlight_check` needs a fixture `firstlight_experiment` of scope session that returns the Experiment"


class Preflight:
    """What the fixture `firstlight` gives."""

    def check(
        self,
        experiment: Any,
        *,
        profile: str | None = None,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        strict: bool = False,
    ) -> "Report":
        """The report; the test fails with it where the experiment is ill."""
        __tracebackhide__ = True
        from firstlight.judge.verdict import exit_code
        from firstlight.report import terminal
        from firstlight.survey import preflight

        report = preflight(experiment, profile=profile, select=select, ignore=ignore, strict=strict or None)
        if exit_code(report, strict):
            pytest.fail(terminal.render(report, colour=False), pytrace=False)
        return report


@dataclass(frozen=True)
class OneCheck:
    """What the fixture `firstlight_check` gives, once for every check."""

    name: str
    report: "Report"

    def __call__(self) -> None:
        """Fails on an error, warns on a warning, skips where it could not be judged."""
        __tracebackhide__ = True
        outcome = next(check for check in self.report.checks if check.name == self.name)
        if outcome.status == "skipped":
            pytest.skip(outcome.reason or "could not be judged")
        found = [finding for finding in self.report.findings if finding.name == self.name]
        told = "\n".join(map(_told, found))
        if outcome.status == "crashed" or any(finding.severity == "error" for finding in found):
            pytest.fail(told or outcome.reason or self.name, pytrace=False)
        if any(finding.severity == "warning" for finding in found):
            warnings.warn(told, stacklevel=2)


def _told(finding: "Finding") -> str:
    where = f"\n  where {finding.where.file}:{finding.where.line}" if finding.where.file else ""
    first = f"{finding.id} {finding.name}: {finding.summary}{where}"
    return f"{first}\n  saw {finding.saw}\n  wanted {finding.wanted}\n  do {finding.do}"


@pytest.fixture
def firstlight() -> Preflight:
    """Judges declared experiments: `firstlight.check(experiment)`."""
    return Preflight()


@pytest.fixture(scope="session")
def firstlight_experiment() -> Any:
    """The experiment whose checks become tests; defined by the user."""
    raise pytest.UsageError(LACKING)


@pytest.fixture(scope="session")
def firstlight_report(firstlight_experiment: Any) -> "Report":
    """Of all checks at once, so that each test only looks up its own."""
    from firstlight.survey import preflight

    return preflight(firstlight_experiment)


@pytest.fixture
def firstlight_check(request: pytest.FixtureRequest, firstlight_report: "Report") -> Callable[[], None]:
    return OneCheck(request.param, firstlight_report)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "firstlight_check" not in metafunc.fixturenames:
        return
    defined = metafunc._arg2fixturedefs["firstlight_experiment"]
    if defined[-1].func.__module__ == __name__:  # once here, and not once for every check
        raise pytest.Collector.CollectError(f"{metafunc.function.__name__}: {LACKING}")
    from pathlib import Path

    from firstlight.settings import load
    from firstlight.survey import asked

    names = [check.name for check in asked(load(Path.cwd()))]
    metafunc.parametrize("firstlight_check", names, indirect=True)
