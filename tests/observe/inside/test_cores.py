import os
import time
from pathlib import Path

import pytest

from firstlight.observe.inside import cores
from firstlight.observe.inside.cores import Clock


@pytest.fixture
def account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "schedstat"
    path.write_text("5000000000 2000000000 17\n", encoding="ascii")
    monkeypatch.setattr(cores, "ACCOUNT", path)
    return path


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    return at


def test_time_without_a_core_does_not_count(account: Path, now: list[float]) -> None:
    clock = Clock()
    assert clock.seconds == 0.0
    clock.begin()
    now[0] = 110.0
    clock.begin()  # only the first time counts
    account.write_text("9000000000 5000000000 30\n", encoding="ascii")

    assert clock.seconds == 10.0
    assert clock.running(most=2.0) == 7.0


def test_some_of_it_always_counts(account: Path, now: list[float]) -> None:
    clock = Clock()
    clock.begin()
    now[0] = 110.0
    account.write_text("5000000000 11500000000 30\n", encoding="ascii")

    assert clock.running(most=2.0) == 5.0


@pytest.mark.parametrize("text", ["", "12\n", "a b c\n"])
def test_a_kernel_that_does_not_tell_leaves_the_time_as_it_is(text: str, account: Path, now: list[float]) -> None:
    account.write_text(text, encoding="ascii")
    clock = Clock()
    clock.begin()
    now[0] = 104.0

    assert clock.running(most=2.0) == 4.0


def test_the_real_account_is_read_where_there_is_one() -> None:
    assert cores.waited() >= 0.0


def test_only_cores_that_the_process_may_run_on_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {3, 5}, raising=False)

    assert cores.usable() == 2


@pytest.mark.parametrize(("counted", "usable"), [(64, 64), (None, 1)])
def test_where_no_system_tells_them_all_count(
    monkeypatch: pytest.MonkeyPatch, counted: int | None, usable: int
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: counted)

    assert cores.usable() == usable
