"""The plug-in gives flake8 what `firstlight lint` finds."""

import ast
from pathlib import Path

import pytest

from firstlight.integrations.flake8 import Plugin

CODE = "import torch\n\n\ndef f(p):\n    p.require_grad = False\n"


def test_a_finding_has_its_line_column_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    ((line, column, text, kind),) = Plugin(ast.parse(CODE), "train.py", CODE.splitlines(keepends=True)).run()

    assert (line, column, kind) == (5, 4, Plugin)
    assert text.startswith("FL795 requires-grad-without-effect: ")


def test_settings_of_the_project_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "firstlight.toml").write_text('ignore = ["requires-grad-misspelt"]\n')

    assert list(Plugin(ast.parse(CODE), "train.py", CODE.splitlines(keepends=True)).run()) == []
