"""`firstlight check package.module:experiment`, where there is no such thing: one line that says what there is."""

import subprocess
import sys
from pathlib import Path

import pytest

MODULE = """\
import firstlight as fl

width = 3
experiment = fl.Experiment(model=lambda: None)


def broken():
    raise KeyError("DATA_DIR")
"""


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("mine:experimnt", "mine has no `experimnt`. Its experiments are experiment."),
        ("mine:width", "mine:width is a int, not a firstlight.Experiment or what makes one"),
        ("mine:broken", "KeyError: 'DATA_DIR' (mine.py:8)"),
        ("yours:experiment", "ModuleNotFoundError: No module named 'yours'"),
        ("mine.py:experimnt", "mine.py has no `experimnt`. Its experiments are experiment."),
    ],
)
def test_what_cannot_be_had_is_told_in_one_line(tmp_path: Path, target: str, told: str) -> None:
    (tmp_path / "mine.py").write_text(MODULE)
    command = [sys.executable, "-m", "firstlight", "check", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"firstlight: {target} cannot be loaded: {told}\n"
