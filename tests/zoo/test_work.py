"""Work is done side by side, told as it goes, and stopped cleanly."""

import sys
import threading
from pathlib import Path

import pytest
from zoo.running import InterruptedRunError, environment, execute
from zoo.work import side_by_side


def test_every_task_is_done_once() -> None:
    done = dict(side_by_side(range(20), lambda task: task * task, 3, "squares"))
    assert done == {task: task * task for task in range(20)}


def test_so_many_tasks_run_at_once_as_there_are_jobs() -> None:
    both = threading.Barrier(2, timeout=30)
    assert len(list(side_by_side([1, 2], lambda _: both.wait(), 2, "pairs"))) == 2


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    list(side_by_side(range(3), lambda task: task, 1, "programs"))
    assert "programs 3/3" in capsys.readouterr().err


def test_an_error_ends_the_processes_that_are_running(tmp_path: Path) -> None:
    ends: list[str] = []

    def work(task: str) -> None:
        if task == "fails":
            raise ValueError(task)
        try:
            execute((sys.executable, "-c", "import time; time.sleep(100)"), tmp_path, environment(0), 100)
        except InterruptedRunError:
            ends.append("interrupted")

    with pytest.raises(ValueError, match="fails"):
        list(side_by_side(["sleeps", "fails"], work, 2, "tasks"))
    assert ends == ["interrupted"]
