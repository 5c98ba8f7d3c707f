"""A run that was killed at any moment still has a report; a guarded one is diagnosed as one."""

import shutil
from pathlib import Path

import msgspec
import pytest
from tests.fuzz.readers import RUN, SAMPLES

from firstlight.cli.main import run
from firstlight.judge.trust import INFERRED, worth
from firstlight.records.learning import NO_SIGN, LearningSign
from firstlight.remains import CUT_SHORT, diagnose, report_of
from firstlight.settings import Settings
from firstlight.store.run_directory import RunDirectory


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    """Of `firstlight check`, before it was judged."""
    return _copied("run", tmp_path, monkeypatch)


@pytest.fixture
def guarded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    return _copied("killed", tmp_path, monkeypatch)


def _copied(sample: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> RunDirectory:
    shutil.copytree(SAMPLES / sample / "firstlight", folder / ".firstlight")
    monkeypatch.chdir(folder)
    found = RunDirectory(folder / RUN)
    found.report.unlink(missing_ok=True)
    return found


def test_a_check_cut_anywhere_has_a_report(check: RunDirectory) -> None:
    whole = check.events.read_bytes()
    for share in (1, 0.8, 0.5, 0.2, 0.05, 0):
        check.events.write_bytes(whole[: int(share * len(whole))])
        report = report_of(check, Settings())
        ended = b"run_end" in check.events.read_bytes()
        assert (report.coverage.ended == CUT_SHORT) is not ended
    assert report.verdict.value == "unjudged"


def test_what_was_seen_before_the_kill_is_judged(check: RunDirectory) -> None:
    assert "loss-double-activation" in [finding.name for finding in report_of(check, Settings()).findings]


def test_an_alarm_that_names_no_cause_comes_with_likely_ones(check: RunDirectory) -> None:
    """No time was left to ask the program; what is known is weighed all the same."""
    sign = LearningSign(step=200, status=NO_SIGN, reason="", site=None, steps=200, fresh=200, first=2.3, last=2.3)
    with check.events.open("ab") as log:
        log.write(msgspec.json.encode({"observed": sign}) + b"\n")
    report = report_of(check, Settings(select=("answers-not-learnt",)))
    assert [finding.cause for finding in report.findings] == ["unknown"]
    assert report.diagnosis[0].cause != "unknown"
    assert report.diagnosis[0].probability <= worth(INFERRED)


def test_a_guarded_run_cut_anywhere_has_a_report(guarded: RunDirectory) -> None:
    report = report_of(guarded, Settings())
    assert (report.subject.kind, report.coverage.ended) == ("run", CUT_SHORT)
    assert [finding.name for finding in report.findings] == ["turns-nonfinite"]
    whole = guarded.events.read_bytes()
    guarded.events.write_bytes(whole[: len(whole) // 3])
    assert report_of(guarded, Settings()).coverage.steps < report.coverage.steps


def test_a_guarded_run_is_diagnosed_as_one(guarded: RunDirectory) -> None:
    report = diagnose(guarded, Settings(), None)
    assert report.verdict.value == "ill"
    assert report.diagnosis
    assert report.coverage.steps > 10


def test_the_commands_give_it(guarded: RunDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["report"]) == 0
    assert CUT_SHORT in " ".join(capsys.readouterr().out.split())
    assert run(["diagnose", RUN]) == 1


def test_a_report_that_is_there_is_taken_as_it_is(check: RunDirectory) -> None:
    check.report.write_text("{}")
    assert run(["report"]) == 2
