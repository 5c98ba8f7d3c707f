"""`.firstlight/runs/<id>/`: everything one command leaves behind."""

import os
import secrets
import time
from pathlib import Path

from firstlight.errors import UsageError

FOLDER = ".firstlight"


class RunDirectory:
    """Paths of one run. Only `create` makes anything on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events = path / "events.ndjson"
        self.report = path / "report.json"
        self.page = path / "report.html"
        self.output = path / "output.log"
        self.session = path / "session.json"
        self.scratch = path / "scratch"
        self.timelines = path / "timelines"
        self.artifacts = path / "artifacts"

    @property
    def id(self) -> str:
        return self.path.name

    @classmethod
    def create(cls, parent: Path) -> "RunDirectory":
        """A new, empty run below `parent`, kept out of version control."""
        base = parent / FOLDER
        try:
            (base / "runs").mkdir(parents=True, exist_ok=True)
            ignore = base / ".gitignore"
            if not ignore.exists():
                ignore.write_text("*\n", encoding="utf-8")
            run = cls(base / "runs" / new_id())
            run.path.mkdir()
        except OSError as error:
            raise UsageError(
                f"cannot make the run directory below {parent}: {error.strerror or error}. "
                "Run from a directory that can be written to."
            ) from None
        return run


def new_id() -> str:
    """Sorts by time; two runs of the same second differ."""
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + "-" + secrets.token_hex(3)


def shown(path: Path | str) -> str:
    """Relative to the working directory for what lies below it, else as it is."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative
