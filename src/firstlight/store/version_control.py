"""What git says of the folder a program runs in. Never waits long, and never matters if git is not there."""

import subprocess
from pathlib import Path

SECONDS = 2.0
MOST_FILES = 50


def commit(folder: Path) -> str | None:
    return _git(folder, "rev-parse", "HEAD") or None


def changed(folder: Path) -> tuple[str, ...]:
    """Files that differ from the commit, tracked ones only, the first few."""
    told = _git(folder, "status", "--porcelain", "--untracked-files=no")
    return tuple(line[3:] for line in told.splitlines())[:MOST_FILES]


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.rstrip("\n")
