"""Each script runs in a process of its own, contained, in a project of which every byte is compared afterwards."""

import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

import firstlight

PREAMBLE = """
import os, sys
from pathlib import Path
from firstlight.observe.inside import containment
SCRATCH = Path(".firstlight/runs/1/scratch").absolute()
os.environ.update(containment.tracker_environment(SCRATCH))
overlay = containment.install(SCRATCH)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's folder with a log and a checkpoint in it."""
    folder = tmp_path / "project"
    (folder / "checkpoints").mkdir(parents=True)
    (folder / "checkpoints/best.pt").write_bytes(b"precious")
    (folder / "log.txt").write_text("old\n")
    return folder


@pytest.fixture
def run(project: Path) -> Callable[..., str]:
    """Run a script contained, and answer what it printed; the project must be as before."""

    def run_contained(script: str, **environment: str) -> str:
        before = contents(project)
        ended = subprocess.run(
            [sys.executable, "-c", PREAMBLE + textwrap.dedent(script)],
            cwd=project,
            env={**os.environ, "PYTHONPATH": str(Path(firstlight.__file__).parents[1]), **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert contents(project) == before
        assert ended.returncode == 0, ended.stderr[-4000:]
        return ended.stdout

    return run_contained


def contents(folder: Path) -> dict[str, bytes | None]:
    ours = {".firstlight"}
    found = (path for path in folder.rglob("*") if ours.isdisjoint(path.parts))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in found}
