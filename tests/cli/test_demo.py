"""`firstlight demo`: two programs one line apart, and the verdicts on them."""

import difflib
import subprocess
import sys
from pathlib import Path

import pytest

from firstlight.cli import demo
from firstlight.cli.main import run


def test_the_programs_differ_in_exactly_one_line() -> None:
    old, new = ((demo.PROGRAMS / f"train_{name}.py").read_text().splitlines() for name in ("buggy", "fixed"))
    changed = [line for line in difflib.ndiff(old, new) if line[0] in "-+"]
    assert [line.split(maxsplit=1) for line in changed] == [
        ["-", "return scores.softmax(dim=1)"],
        ["+", "return scores"],
    ]


def test_without_torch_it_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    assert run(["demo"]) == 2
    assert "`pip install torch`" in capsys.readouterr().err


@pytest.mark.parametrize(("ill", "clean", "code"), [(1, 0, 0), (0, 0, 1), (1, 1, 1), (2, 0, 1), (1, 3, 1)])
def test_it_succeeds_only_if_both_verdicts_are_right(
    ill: int, clean: int, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes = {"train_buggy.py": ill, "train_fixed.py": clean}
    monkeypatch.setattr(demo, "_check", lambda program, _folder: codes[program.name])
    assert run(["demo"]) == code
    assert ("The demo failed" in capsys.readouterr().out) is (code == 1)


def test_the_real_thing(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-m", "firstlight", "demo"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    first, _, second = done.stdout.partition("that line mended")
    assert "$ firstlight check train.py" in first
    assert "error[FL203]" in first
    assert "train.py:18" in first
    assert "error[" not in second
    assert list(tmp_path.iterdir()) == []
