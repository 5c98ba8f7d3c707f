"""Stated probabilities follow what was counted, in the order they had, and what is taken off belongs to `unknown`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstlight.judge import trust
from firstlight.judge.trust import trusted, worth
from firstlight.records.report import Coverage, Hypothesis, Report, Subject, Timing, Verdict

HALVED = (0.5, -0.5)


def _report(*told: Hypothesis) -> Report:
    return Report(
        schema="firstlight.report/1",
        subject=Subject(kind="script", command=("train.py",)),
        verdict=Verdict.WARN,
        findings=(),
        diagnosis=told,
        checks=(),
        coverage=Coverage(),
        timing=Timing(started="", seconds=0.0),
        environment={},
    )


def _bug(cause: str, probability: float, credence: str | None = None) -> Hypothesis:
    return Hypothesis(cause=cause, category=cause.partition("-")[0], probability=probability, credence=credence)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "counted", lambda: HALVED)


def test_what_was_never_counted_is_told_as_it_was_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trust, "counted", lambda: (1.0, 0.0))
    told = trusted(_report(_bug("hp-lr", 0.9), _bug("loss-form", 0.3))).diagnosis
    assert [(one.cause, one.probability) for one in told] == [("hp-lr", 0.9), ("loss-form", 0.3)]


def test_what_is_taken_off_belongs_to_unknown_and_the_words_follow(counted: None) -> None:
    first, unknown = trusted(_report(_bug("hp-lr", 0.97, "almost certain"))).diagnosis
    assert (first.cause, unknown.cause) == ("hp-lr", "unknown")
    assert first.probability == pytest.approx(worth(0.97))
    assert first.credence == "highly likely"
    assert first.probability + unknown.probability == pytest.approx(0.97)


def test_an_unknown_that_was_there_grows_and_a_healthy_explanation_stays(counted: None) -> None:
    told = trusted(_report(_bug("hp-lr", 0.9), _bug("null-task-hard", 0.2), _bug("unknown", 0.1))).diagnosis
    assert [one.cause for one in told] == ["hp-lr", "null-task-hard", "unknown"]
    assert told[1].probability == 0.2
    assert told[2].probability == pytest.approx(0.1 + 0.9 - worth(0.9))


def test_nothing_named_stays_nothing(counted: None) -> None:
    assert trusted(_report()).diagnosis == ()


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_what_was_likelier_stays_likelier(one: float, other: float) -> None:
    low, high = sorted((worth(one), worth(other)))
    assert (worth(min(one, other)), worth(max(one, other))) == (low, high)


def test_what_is_installed_can_be_read() -> None:
    slope, _ = trust.counted()
    assert slope > 0
