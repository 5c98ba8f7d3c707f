"""A program is run in a folder of its own, and its ending is told apart."""

import sys
import threading
import time
from pathlib import Path

import pytest
from zoo.records import Metric
from zoo.running import InterruptedRunError, copied, end_all, environment, execute, measured, run_program

ACCURACY = Metric("accuracy", r"accuracy: ([0-9.]+)", "higher", 0.9, 0.5)


def ending(code: str, limit_seconds: float = 60.0) -> tuple[str, float | None]:
    outcome = run_program({"train.py": code}, ("train.py",), ACCURACY, 0, limit_seconds)
    return outcome.ending, outcome.metric


def test_the_last_match_counts() -> None:
    assert ending("print('accuracy: 0.5')\nprint('accuracy: 0.75')") == ("number", 0.75)


def test_a_crash_is_told_even_after_the_metric() -> None:
    assert ending("print('accuracy: 0.5')\nraise SystemExit(3)") == ("crashed", None)


def test_a_run_past_its_limit_is_ended_with_its_children() -> None:
    begun = time.monotonic()
    code = "import subprocess\nsubprocess.run(['sleep', '60'])"
    assert ending(code, limit_seconds=1.0) == ("timed-out", None)
    assert time.monotonic() - begun < 30


def test_files_of_other_folders_and_modules_are_there() -> None:
    files = {"train.py": "from parts.model import SCORE\nprint('accuracy:', SCORE)", "parts/model.py": "SCORE = 0.25"}
    assert run_program(files, ("train.py",), ACCURACY, 0, 60).metric == 0.25


@pytest.mark.parametrize(
    ("output", "pattern", "wanted"),
    [
        ("loss: 1e-3", r"loss: ([-0-9.e]+)", ("number", 0.001)),
        ("loss: nan", r"loss: ([0-9.]+)", ("not-a-number", None)),
        ("loss: -inf", r"loss: ([0-9.]+)", ("not-a-number", None)),
        ("loss (mean): nan", r"loss \(mean\)[:(] ([0-9.]+(?:e-[0-9]+)?)", ("not-a-number", None)),
        ("loss: 0.5\nloss: nan", r"loss: ([0-9.]+)", ("not-a-number", None)),
        ("loss: .", r"loss: ([0-9.]+)", ("no-metric", None)),
        ("done", r"loss: ([0-9.]+)", ("no-metric", None)),
    ],
)
def test_what_is_not_a_number_is_seen_whatever_the_pattern_allows(
    output: str, pattern: str, wanted: tuple[str, float | None]
) -> None:
    outcome = measured(output, pattern, 1.0)
    assert (outcome.ending, outcome.metric) == wanted


def test_the_copy_is_gone_afterwards() -> None:
    with copied({"train.py": ""}) as folder:
        assert (folder / "train.py").exists()
    assert not folder.exists()


def test_an_interruption_ends_what_runs_and_is_no_crash(tmp_path: Path) -> None:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            execute((sys.executable, "-c", "import time; time.sleep(60)"), tmp_path, environment(0), 60)
        except InterruptedRunError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        end_all()
        thread.join(0.1)
    assert len(raised) == 1
