"""`firstlight tape` on a run written by hand and on a real one."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from firstlight.cli.tape import command
from firstlight.errors import UsageError
from firstlight.records.events import Fact
from firstlight.records.places import Site
from firstlight.records.taped import TapeRow, TapeSeen
from firstlight.records.wire import to_plain
from firstlight.store.event_log import EventLog

ROWS = (
    TapeRow(3, "linear", 0, 7, (8, 4), (), True, True, True, True, 8, 1.25),
    TapeRow(4, "mean", 0, 9, (8, 4), (3,), True, True, True, False, 1, float("nan")),
    TapeRow(5, "mse_loss", 0, 11, (), (4,), True, True, True, False, None, 0.5),
)
SITE = Site(file="train.py", line=12)
TAPE = TapeSeen(step=8, site=SITE, part=0, batch=8, fed=8, files=("train.py",), predictions=(4,), rows=ROWS)


@pytest.fixture
def tape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    run = tmp_path / ".firstlight" / "runs" / "20260101-000000-abc"
    run.mkdir(parents=True)
    EventLog(run / "events.ndjson", "abc").append(Fact, observed=to_plain(TAPE))

    def show(*words: str) -> Result:
        return CliRunner().invoke(command, words, catch_exceptions=False)

    return show


def test_rows_stand_in_order_with_the_break_marked(tape: Callable[..., Result]) -> None:
    lines = tape().output.splitlines()
    assert lines[0] == "step 8, backward at train.py:12: 3 operations, 8 examples"
    assert lines[2].split() == ["3", "train.py:7", "linear", "8", "×", "4", "8/8", "1.25", ">"]
    assert lines[3].split()[-5:] == ["1/8", "not", "finite", "!", "3"]


def test_rows_are_filtered_by_line_and_operation(tape: Callable[..., Result]) -> None:
    assert len(tape("--line", "train.py:9").output.splitlines()) == 3
    assert "mse_loss" in tape("--operation", "loss").output


def test_a_step_that_was_not_taped_is_said_to_be_none(tape: Callable[..., Result]) -> None:
    with pytest.raises(UsageError, match=r"step 5 was not taped\. Taped steps: 8"):
        tape("--step", "5")


def test_a_run_without_a_tape_says_who_writes_one(tape: Callable[..., Result], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no tape of rank 3"):
        tape("--rank", "3")


def test_a_real_run_has_one(check: Callable[..., Any]) -> None:
    source = (Path(__file__).parents[2] / "examples" / "examples-become-alike" / "fails.py").read_text()
    checked = check(source, "--profile", "quick")
    run = checked.folder / checked.report["subject"]["run"]
    shown = CliRunner().invoke(command, [os.fspath(run)], catch_exceptions=False).output
    assert " ! " in shown
    assert checked.named("error") == ["examples-become-alike"]
