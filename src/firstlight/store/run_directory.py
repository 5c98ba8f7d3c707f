"""`.firstlight/runs/<id>/`: everything one command leaves behind."""

import contextlib
import difflib
import hashlib
import os
import secrets
import shutil
import time
from pathlib import Path

from firstlight.errors import PlaceError, UsageError
from firstlight.store import plain_files

FOLDER = ".firstlight"
LAST = "last"


class RunDirectory:
    """Paths of one run. Only `create` and `make` make anything on disk."""

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
    def planned(cls, parent: Path, name: str | None = None) -> "RunDirectory":
        """A new run below `parent`, of which nothing exists yet; under a `name` others may share it."""
        return cls(parent / FOLDER / "runs" / (name or new_id()))

    @classmethod
    def create(cls, parent: Path) -> "RunDirectory":
        run = cls.planned(parent)
        run.make()
        return run

    def make(self) -> None:
        """Kept out of version control. Others may have made it already."""
        base = self.path.parents[1]
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if base.name == FOLDER:
                with contextlib.suppress(FileExistsError):
                    plain_files.create(base / ".gitignore", b"*\n")
        except OSError as error:
            raise PlaceError(
                f"cannot make the run directory below {base.parent}: {error.strerror or error}. "
                "Run from a directory that can be written to."
            ) from None

    def clear(self) -> None:
        """Of what only a running command needs."""
        for folder in (self.scratch, self.timelines):
            shutil.rmtree(folder, ignore_errors=True)
        self.session.unlink(missing_ok=True)

    @classmethod
    def find(cls, parent: Path, word: str | None) -> "RunDirectory":
        """By its path, its id or the beginning of its id; `last` or None is the newest one below `parent`."""
        if word is not None and (Path(word) / "events.ndjson").is_file():
            return cls(Path(word))
        runs = parent / FOLDER / "runs"
        names = sorted(path.name for path in runs.glob("*") if path.is_dir() and not path.is_symlink())
        if word in (None, LAST):
            found = names[-1:]
        else:
            found = [name for name in names if name == word] or [name for name in names if name.startswith(str(word))]
        if len(found) == 1:
            return cls(runs / found[0])
        raise UsageError(_not_found(word, runs, names, found))


def _not_found(word: str | None, runs: Path, names: list[str], found: list[str]) -> str:
    if not names:
        return f"there is no run below {shown(runs)}. `firstlight check train.py` makes one."
    if found:
        return f"`{word}` begins {len(found)} runs, {', '.join(found[:3])} among them. Give more of the id."
    near = difflib.get_close_matches(str(word), names, n=2)
    meant = f"Near it: {', '.join(near)}. " if near else ""
    return f"`{word}` is neither a run directory nor the id of a run. {meant}The newest: {', '.join(names[:-4:-1])}."


def new_id() -> str:
    """Sorts by time; two runs of the same second differ."""
    return time.strftime("%Y%m%d-%H%M%S", time.gmtime()) + "-" + secrets.token_hex(3)


def text_hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def here_hash() -> str:
    """Tells runs of one folder from those of another, without telling its name."""
    return text_hash(os.fspath(Path.cwd()))


def shown(path: Path | str) -> str:
    """Relative to the working directory for what lies below it, else as it is."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative
