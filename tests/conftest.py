"""Runs the real command on real scripts, as a user would."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# How long an example takes says something about the machine, not about the code. The same examples everywhere: a rare
# input that is met by chance should not fail somebody else's change. `--hypothesis-profile explore` looks for new ones.
settings.register_profile("explore", deadline=None)
settings.register_profile("firstlight", deadline=None, derandomize=True)
settings.load_profile("firstlight")

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Checked:
    code: int
    report: dict[str, Any]
    stderr: str
    folder: Path

    def named(self, severity: str | None = None) -> list[str]:
        return [f["name"] for f in self.report["findings"] if severity is None or f["severity"] == severity]

    def loud(self) -> list[str]:
        return [f"{f['id']} {f['name']}: {f['saw']}" for f in self.report["findings"] if f["severity"] != "note"]

    def finding(self, name: str) -> dict[str, Any]:
        return next(f for f in self.report["findings"] if f["name"] == name)


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def firstlight(tmp_path: Path) -> Run:
    def run(*words: str, cwd: Path | None = None, timeout: float = 200) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FIRSTLIGHT")} | {"OMP_NUM_THREADS": "1"}
        return subprocess.run(
            [sys.executable, "-m", "firstlight", *words],
            cwd=cwd or tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture
def check(firstlight: Run, tmp_path: Path) -> Callable[..., Checked]:
    """Writes a script, checks it, and gives back the report."""

    def run(source: str, *flags: str, arguments: tuple[str, ...] = (), name: str = "train.py") -> Checked:
        (tmp_path / name).write_text(source, encoding="utf-8")
        done = firstlight("check", "--format", "json", *flags, name, *arguments)
        assert done.stdout, done.stderr
        return Checked(code=done.returncode, report=json.loads(done.stdout), stderr=done.stderr, folder=tmp_path)

    return run
