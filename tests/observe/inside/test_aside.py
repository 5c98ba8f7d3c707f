"""Questions that a forked copy answers."""

import os
import time
from types import SimpleNamespace
from typing import Any

import pytest

from firstlight.observe.inside import aside


@pytest.fixture
def observer() -> Any:
    return SimpleNamespace(spec=SimpleNamespace(owner=0))


def test_the_answer_comes_back_and_nothing_else_does(observer: Any, capfd: pytest.CaptureFixture[str]) -> None:
    heard: list[int] = []

    def question() -> bytes:
        heard.append(1)
        os.write(1, b"heard")
        return b"yes"

    assert aside.asked(observer, question) == b"yes"
    assert heard == []
    assert capfd.readouterr().out == ""


def test_what_fails_or_is_too_long_is_no_answer(observer: Any) -> None:
    assert aside.asked(observer, lambda: b"%d" % (1 // 0)) == b""
    assert aside.asked(observer, lambda: bytes(aside.MOST_BYTES + 1)) == b""


def test_a_copy_that_takes_too_long_is_ended(observer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aside, "MOST_WAITED", 1)

    def question() -> bytes:
        time.sleep(60)
        return b"late"

    assert aside.asked(observer, question) == b""


def computes(seconds: float) -> bytes:
    while time.process_time() < seconds:
        pass
    return b"done"


def test_a_copy_that_still_computes_is_waited_for(observer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aside, "MOST_WAITED", 0.0)
    assert aside.asked(observer, lambda: computes(time.process_time() + 0.3)) == b"done"


def test_but_not_for_ever(observer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aside, "MOST_WAITED", 0.0)
    monkeypatch.setattr(aside, "MOST_STARVED", 0.2)
    assert aside.asked(observer, lambda: computes(time.process_time() + 60)) == b""


def test_a_process_that_belongs_to_nobody_else_is_not_copied(observer: Any) -> None:
    observer.spec.owner = os.getpid()

    assert aside.asked(observer, lambda: b"yes") == b""
