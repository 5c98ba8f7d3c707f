"""Whatever goes wrong on the guard's side, the training goes on as if it were not there."""

import os
from pathlib import Path
from typing import Any

import pytest
import torch
from tests.guard.loops import sgd

import firstlight as fl
from firstlight.checks.declare import Check
from firstlight.guard.journal import Journal
from firstlight.guard.judging import Judge
from firstlight.guard.statistics.host import HostPass
from firstlight.store.event_log import EventLog


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("ours")


@pytest.mark.parametrize(
    ("owner", "name", "part"),
    [(HostPass, "launch", "statistics"), (Judge, "sees", "judging"), (Journal, "wants_step", "judging")],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_fault_of_ours_is_told_once_and_switched_off(
    owner: type,
    name: str,
    part: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bare = sgd().run()
    monkeypatch.setattr(owner, name, broken)
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        watched = training.run()

    assert all(torch.equal(a, b) for a, b in zip(bare, watched, strict=True))
    assert guard.shield.broken[part] == "RuntimeError: ours"
    assert capsys.readouterr().err.count(f"a fault in {part}") == 1


def test_a_check_that_crashes_takes_nothing_with_it(tmp_path: Path) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        bad: list[Check] = []
        for check in guard.judge.checks:
            bad.append(type(check)(**{f: getattr(check, f) for f in check.__slots__} | {"find": broken}))
        guard.judge.checks = tuple(bad)
        training.run(40)

    assert guard.shield.broken == {}
    assert guard.judge.crashed
    assert guard.step == 40


def test_a_listener_that_raises_is_switched_off(tmp_path: Path) -> None:
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        guard.moments.step_ended.append(broken)
        training.run()

    assert guard.step == 12
    assert list(guard.shield.broken.values()) == ["RuntimeError: ours"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        training.run()
    tmp_path.chmod(0o700)

    assert guard.journal.lost > 0


def test_a_folder_that_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".firstlight").write_text("")
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        training.run()

    assert guard.step == 12
    assert guard.journal.lost > 0
    error = capsys.readouterr().err
    assert error.count("the log cannot be written") == 1
    assert "lines of the log were lost" in error


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = EventLog.write
    left = iter(range(5))

    def full(self: EventLog, lines: bytes) -> None:
        if next(left, None) is None:
            raise OSError(28, "No space left on device")
        written(self, lines)

    monkeypatch.setattr(EventLog, "write", full)
    training = sgd()
    with fl.guard(*training.parts, directory=tmp_path, cost=None) as guard:
        training.run()

    assert guard.step == 12
    assert guard.journal.lost > 0
    assert guard.shield.broken == {}
    assert guard.events is not None
    assert len(guard.events.read_text().splitlines()) == 5
