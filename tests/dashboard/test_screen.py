"""`firstlight watch`, as the words are typed and as the run goes on."""

import io
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from tests.dashboard.conftest import Written, judge

from firstlight.cli.main import run as command
from firstlight.dashboard.screen import Screen
from firstlight.records import events
from firstlight.records.report import Verdict

Write = Callable[..., Written]


def test_without_a_terminal_it_says_once_how_the_run_stands(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    judge(write("20260101-a"), Verdict.CLEAN)
    going = write("20260102-b")
    going.log.append(events.RedFlag, type="loss-spike", severity="warning", message="a spike", recommendation="look")
    assert command(["watch"]) == 0
    told = capsys.readouterr().out
    assert "running  train.py · step 20 · 100 steps/s" in told
    assert "gradient norm" in told
    assert "×" in told
    assert "loss-spike · a spike" in told
    assert command(["watch", "20260101"]) == 0
    assert capsys.readouterr().out.startswith("clean ")
    assert command(["watch", "nope"]) == 2


def test_it_follows_the_run_to_its_end(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstlight.dashboard.screen.PAUSE_SECONDS", 0.02)
    going = write("a")
    console = Console(file=io.StringIO(), force_terminal=True, width=100)
    looking = threading.Thread(target=Screen.of(going.run).live, args=(console,), daemon=True)
    looking.start()
    going.steps(20, 40)
    time.sleep(0.1)
    judge(going)
    looking.join(20)
    assert not looking.is_alive()
    assert "step 40" in console.file.getvalue()  # type: ignore[attr-defined]


def test_a_terminal_is_not_commanded_by_a_log(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    going = write("a", command="\x1b]0;owned\x07[red]not markup[/red]")
    going.log.append(events.RedFlag, type="\x1b[2J", severity="\x1b[31m", message="\x9b31m", recommendation="")
    assert command(["watch", str(going.run.path)]) == 0
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert "\x9b" not in told
    assert "[red]not markup[/red]" in told


def test_a_run_that_has_not_begun(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["watch", str(write("a", steps=0).run.path)]) == 0
    assert "running  train.py" in capsys.readouterr().out


def test_a_run_that_stands_still_is_told_from_one_with_long_steps(write: Write, tmp_path: Path) -> None:
    going = write("a")
    console = Console(file=io.StringIO(), width=120)
    shown = Screen.of(going.run)

    for silence in (90, 600):
        moment = time.time() - silence
        os.utime(going.run.events, (moment, moment))
        shown.once(console)
    told = console.file.getvalue()  # type: ignore[attr-defined]
    assert "stalled  train.py · step 20 · nothing written for 90 s" in told
    assert "nothing written for 10 min" in told

    slow = write("b", steps=0)
    slow.log.append(events.Step, step=0, loss=1.0, step_s=30.0)
    moment = time.time() - 600
    os.utime(slow.run.events, (moment, moment))
    Screen.of(slow.run).once(console)
    assert "running  train.py" in console.file.getvalue()  # type: ignore[attr-defined]
