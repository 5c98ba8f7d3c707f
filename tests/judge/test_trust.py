"""Stated probabilities follow what was counted, in the order they had, and what is taken off belongs to `unknown`."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.judge import trust
from firstlight.judge.trust import Claims, trusted, worth
from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.report import Coverage, Hypothesis, Report, Subject, Timing, Verdict

COUNTS = {
    "proven": Claims(20, 19, {"FL201": (10, 10)}),
    "error": Claims(40, 30, {"FL201": (10, 2)}),
    "warning": Claims(40, 10),
    "alarm": Claims(100, 80),
}


def _report(*told: Hypothesis, findings: tuple[Finding, ...] = ()) -> Report:
    return Report(
        schema="firstlight.report/1",
        subject=Subject(kind="script", command=("train.py",)),
        verdict=Verdict.WARN,
        findings=findings,
        diagnosis=told,
        checks=(),
        coverage=Coverage(),
        timing=Timing(started="", seconds=0.0),
        environment={},
    )


def _bug(cause: str, probability: float, credence: str | None = None) -> Hypothesis:
    return Hypothesis(cause=cause, category=cause.partition("-")[0], probability=probability, credence=credence)


def _finding(cause: str, severity: Severity, verified: bool = False, id: str = "FL999") -> Finding:
    return Finding(
        id=id,
        name="something",
        cause=cause,
        category=cause.partition("-")[0],
        severity=severity,
        confidence=0.9,
        verified=verified,
        where=Where(),
        summary="",
        saw="",
        wanted="",
        likely="",
        do="",
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "counted", lambda: COUNTS)


def test_a_kind_is_worth_what_it_was_and_a_check_of_which_more_is_known_what_that_was(counted: None) -> None:
    assert worth("proven") > worth("error") > worth("warning")
    assert worth("error", "FL201") < worth("error") == worth("error", "FL305")
    assert worth("proven", "FL201") > 0.95


def test_before_anything_is_counted_a_claim_is_worth_nothing_in_particular(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "counted", dict)
    assert worth("error", "FL201") == trust.AT_FIRST


def test_what_a_finding_names_is_told_as_such_findings_were_right(counted: None) -> None:
    proven = _finding("loss-sign", Severity.ERROR, verified=True)
    warned = _finding("hp-lr-high", Severity.WARNING)
    told = trusted(_report(_bug("loss-sign", 0.99), _bug("hp-lr-high", 0.6), findings=(proven, warned))).diagnosis
    assert [(one.cause, one.probability) for one in told[:2]] == [
        ("loss-sign", worth("proven")),
        ("hp-lr-high", worth("warning")),
    ]


def test_what_is_taken_off_belongs_to_unknown_and_the_words_follow(counted: None) -> None:
    finding = _finding("hp-lr-high", Severity.WARNING)
    first, unknown = trusted(_report(_bug("hp-lr-high", 0.97, "almost certain"), findings=(finding,))).diagnosis
    assert (first.cause, unknown.cause) == ("hp-lr-high", "unknown")
    assert first.credence == "unlikely"
    assert first.probability + unknown.probability == pytest.approx(0.97)


def test_what_no_finding_names_is_never_raised(counted: None) -> None:
    told = trusted(_report(_bug("hp-lr-high", 0.08), _bug("loss-sign", 0.06))).diagnosis
    assert [one.probability for one in told] == [0.08, 0.06]


def test_the_order_of_causes_stays(counted: None) -> None:
    findings = (_finding("hp-lr-high", Severity.WARNING), _finding("loss-sign", Severity.ERROR, verified=True))
    told = trusted(_report(_bug("hp-lr-high", 0.9), _bug("loss-sign", 0.8), findings=findings)).diagnosis
    assert [one.cause for one in told] == ["hp-lr-high", "loss-sign", "unknown"]
    assert told[1].probability == told[0].probability


def test_an_unknown_that_was_there_grows_and_a_healthy_explanation_stays(counted: None) -> None:
    told = trusted(_report(_bug("hp-lr-high", 0.9), _bug("null-hard", 0.2), _bug("unknown", 0.1))).diagnosis
    assert [one.cause for one in told] == ["hp-lr-high", "null-hard", "unknown"]
    assert told[1].probability == 0.2
    assert told[2].probability == pytest.approx(0.1 + 0.9 - told[0].probability)


def test_under_an_alarm_nothing_wrong_is_as_likely_as_alarms_were_false_and_is_told_last(counted: None) -> None:
    told = trusted(_report(_bug("null-slow", 0.9), _bug("hp-lr-high", 0.08))).diagnosis
    assert [one.cause for one in told] == ["hp-lr-high", "null-slow", "unknown"]
    assert told[1].probability == pytest.approx(1 - worth("alarm"))
    assert told[2].probability == pytest.approx(0.9 - told[1].probability)


def test_without_an_alarm_nothing_wrong_is_told_as_it_was_found(counted: None) -> None:
    quiet = msgspec.structs.replace(_report(_bug("null-slow", 0.9), _bug("hp-lr-high", 0.08)), verdict=Verdict.CLEAN)
    assert [(one.cause, one.probability) for one in trusted(quiet).diagnosis] == [
        ("null-slow", 0.9),
        ("hp-lr-high", 0.08),
    ]


def test_nothing_named_stays_nothing(counted: None) -> None:
    assert trusted(_report()).diagnosis == ()


@given(st.integers(0, 50), st.integers(0, 50))
def test_a_claim_that_was_right_once_more_is_worth_more(claims: int, right: int) -> None:
    before = {"error": Claims(claims + right, right)}
    after = {"error": Claims(claims + right + 1, right + 1)}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(trust, "counted", lambda: before)
        then = worth("error")
        patched.setattr(trust, "counted", lambda: after)
        assert then < worth("error") < 1.0


def test_what_is_installed_can_be_read() -> None:
    assert all(one.right <= one.claims for one in trust.counted().values())
