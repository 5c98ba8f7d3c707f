"""Quick commands stay quick: what they must not import, and proof that an import would be noticed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SRC = Path(__file__).parents[1] / "src"
HEAVY = {"torch", "numpy", "rich", "psutil", "pandas"}
PROBE = """
import sys
from firstlight.cli.main import run
code = run(sys.argv[1:])
assert code == 0, code
sys.stderr.write("\\n".join(sorted({name.split(".")[0] for name in sys.modules})))
"""


def imported(path: Path, *arguments: str) -> set[str]:
    """Top-level modules in a process that ran the command, with `path` first in line."""
    found = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        env={**os.environ, "PYTHONPATH": str(path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return set(found.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("explain", "FL203"),
        ("explain", "hp-lr-high", "--format", "json"),
        ("checks",),
        ("schema", "report"),
    ],
    ids=" ".join,
)
def test_quick_commands_import_nothing_heavy(arguments: tuple[str, ...]) -> None:
    assert imported(SRC, *arguments) & HEAVY == set()


def test_help_imports_no_command_and_no_record() -> None:
    assert imported(SRC, "--help") & {"msgspec", "tomllib", "difflib", "json"} == set()


@pytest.mark.parametrize("name", sorted(HEAVY))
def test_a_heavy_import_is_noticed(name: str, tmp_path: Path) -> None:
    shutil.copytree(SRC / "firstlight", tmp_path / "firstlight", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / f"{name}.py").write_text("", encoding="utf-8")
    with (tmp_path / "firstlight" / "cli" / "schema.py").open("a", encoding="utf-8") as file:
        file.write(f"\nimport {name}\n")
    assert imported(tmp_path, "schema", "report") & HEAVY == {name}
