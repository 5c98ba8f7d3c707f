"""Under what circumstances a score was made: which sources, which machine, when."""

import datetime
import os
import platform
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from zoo.scoring.judging import Firstlight


@dataclass(frozen=True, slots=True)
class Circumstances:
    date: str
    firstlight: str
    """The commit of the tree that firstlight comes from."""
    zoo: str
    machine: str
    verb: str
    half: str
    sample: int | None


def circumstances(firstlight: Firstlight, half: str, sample: int | None) -> Circumstances:
    return Circumstances(
        date=datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        firstlight=commit(firstlight.package),
        zoo=commit(Path(__file__).parents[1]),
        machine=f"{os.cpu_count()} cores, Python {platform.python_version()}, torch {version('torch')}",
        verb=firstlight.verb,
        half=half,
        sample=sample,
    )


def commit(folder: Path) -> str:
    """The commit of a folder's repository, with a mark if files in the folder differ from it."""
    revision = _git(folder, "rev-parse", "--short=10", "HEAD")
    if revision is None:
        return "no repository"
    return f"{revision} with changes" if _git(folder, "status", "--porcelain", "--", ".") else revision


def _git(folder: Path, *words: str) -> str | None:
    try:
        said = subprocess.run(["git", "-C", folder, *words], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return said.stdout.strip()
