"""Which files a person means by the paths they gave."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from firstlight.errors import UsageError

SUFFIXES = frozenset({".py", ".ipynb"})
LEFT_OUT = frozenset(
    """.git .hg .svn .venv venv .tox .nox .eggs node_modules __pycache__ .ipynb_checkpoints .mypy_cache .pytest_cache
    .ruff_cache .firstlight site-packages build dist""".split()
)
"""Folders that hold nobody's own sources. One that is named itself is read all the same."""


def discover(paths: Iterable[Path]) -> list[Path]:
    """Every source file at or below these, once, in a stable order; and every folder that cannot be looked into."""
    found: dict[Path, None] = {}
    for path in paths:
        if not path.exists():
            raise UsageError(
                f"`{path}` does not exist. `firstlight lint` takes files and folders; without any, the current folder."
            )
        for file in _below(path) if path.is_dir() else (path,):
            found.setdefault(file)
    return list(found)


def _below(folder: Path) -> Iterator[Path]:
    refused: list[OSError] = []
    for here, folders, files in os.walk(folder, onerror=refused.append):
        folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
        for name in sorted(files):
            path = Path(here, name)
            if path.suffix in SUFFIXES and path.is_file():
                yield path
    yield from (Path(str(error.filename)) for error in refused)
