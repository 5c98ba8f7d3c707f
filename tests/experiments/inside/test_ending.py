"""A copy that goes on until the program ends says what it printed, and nothing where it raised."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from firstlight.experiments.inside.ending import LastLogged

COPY = """
import atexit, os, sys
from types import SimpleNamespace
from firstlight.experiments.inside.ending import listen

tell = listen(SimpleNamespace(step=7, dealings=None, emit=lambda record: open(sys.argv[1], "w").write(repr(record))))
atexit.register(os._exit, 0)
tell()
print("epoch 1 val_acc 0.50")
print("epoch 2 val_acc 0.75")
"""


@pytest.mark.parametrize(("last", "told"), [("", True), ("raise ValueError", False)], ids=["ends", "raises"])
def test_an_end_is_told_with_the_last_of_each_number(tmp_path: Path, last: str, told: bool) -> None:
    heard = tmp_path / "heard"

    made = subprocess.run([sys.executable, "-c", COPY + last, str(heard)], capture_output=True, text=True, check=False)

    assert made.stdout + made.stderr == ""
    assert heard.exists() == told
    assert not told or "told={'val_acc': 0.75}" in heard.read_text()


def test_an_evaluation_that_logs_batch_by_batch_is_one_number() -> None:
    observer: Any = SimpleNamespace(step=3)
    logged = LastLogged(observer)
    logged.many({"val_acc": 0.1, "val_map": "a picture"})
    observer.step = 9
    for accuracy in (0.5, 1.0):
        logged.one("val_acc", accuracy)

    assert logged.means() == {"val_acc": 0.75}


def test_numbers_of_single_batches_of_training_are_left_out() -> None:
    observer: Any = SimpleNamespace(step=0)
    logged = LastLogged(observer)
    for observer.step in range(4):
        logged.one("train_loss", 1 / (1 + observer.step))

    assert logged.means() == {}
