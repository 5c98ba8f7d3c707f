"""Everything of ours that reads what somebody else may have written, each with sound input to begin from.

A reader is run as its user would run it, in this process. It may judge (0, 1) or say that it cannot (2); anything else,
an exception or exit code 3, is a fault of ours.
"""

import contextlib
import io
import os
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.mutations import damaged, disguised

from firstlight.cli import main

SAMPLES = Path(__file__).parent / "samples"
RUN = ".firstlight/runs/20260101-120000-abc123"
FORMATS = ("terminal", "json", "markdown", "html", "junit", "sarif", "github", "brief")
DISGUISES = 0.04
"""Share of inputs that are no file at all."""
EACH_SECONDS = 5.0
"""`make test` makes the same inputs every time: more of them find what is new no sooner. `make fuzz` makes others."""


@dataclass(frozen=True, slots=True)
class Reader:
    name: str
    sample: str
    """The folder of sound input, of which a copy is damaged."""
    harmed: tuple[str, ...]
    """Of its files, those that are damaged, one at a time."""
    read: Callable[[random.Random], int]
    """In the folder with the damaged copy; the exit code."""


def once(reader: Reader, seed: int, folder: Path) -> int:
    """One input, made and read. Equal seeds make equal inputs."""
    chance = random.Random(f"{reader.name} {seed}")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SAMPLES / reader.sample, folder)
    if (folder / "firstlight").exists():  # under its own name version control would leave it out
        (folder / "firstlight").rename(folder / ".firstlight")
    path = folder / chance.choice(reader.harmed)
    data = damaged(path.read_bytes(), chance)
    if chance.random() < DISGUISES:
        disguised(path, chance)
    else:
        path.write_bytes(data)
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return reader.read(chance)


def command(*words: str) -> Callable[[random.Random], int]:
    """A command of ours; `FORMAT` among the words is one of the formats."""

    def read(chance: random.Random) -> int:
        return main.run([chance.choice(FORMATS) if word == "FORMAT" else word for word in words])

    return read


def _listing(_: random.Random) -> int:
    """What `serve` answers with: the list of runs, and of each its report, curves and files."""
    from firstlight.dashboard.follower import Follower
    from firstlight.dashboard.shelf import Shelf

    shelf = Shelf(Path())
    for card in shelf.cards():
        run = shelf.run(card.id)
        if run is not None:
            shelf.report(run)
            follower = Follower(run)
            while follower.advance(1.0):
                pass
            follower.chronicle()
    return 0


def _exported(_: random.Random) -> int:
    from firstlight.remains import recorded
    from firstlight.settings import Settings
    from firstlight.store.run_directory import RunDirectory

    def read(_words: list[str]) -> int:
        found = recorded(RunDirectory(Path(RUN)), Settings())
        found.findings_markdown()
        return len(list(found.rows())) * 0

    return main.run([], read)


def _artifact(_: random.Random) -> int:
    """As `replay` does before it runs anything, and the tensors of every part."""
    from firstlight.store import artifacts

    def read(_words: list[str]) -> int:
        found = artifacts.read(Path("artifact"))
        return sum(len(found.tensors(part)) for part in found.manifest.parts) * 0

    return main.run([], read)


RUN_FILES = (f"{RUN}/report.json", f"{RUN}/events.ndjson")
READERS = (
    Reader("report", "run", RUN_FILES, command("report", "--format", "FORMAT")),
    Reader("report of a killed run", "killed", (f"{RUN}/events.ndjson",), command("report", "--format", "FORMAT")),
    Reader("diagnose", "run", (f"{RUN}/events.ndjson",), command("diagnose", "--format", "FORMAT", RUN)),
    Reader("diagnose of a guarded run", "killed", (f"{RUN}/events.ndjson",), command("diagnose", RUN)),
    Reader("diagnose --from csv", "curves", ("metrics.csv",), command("diagnose", "--from", "csv:metrics.csv")),
    Reader("watch", "run", RUN_FILES, command("watch", "--once")),
    Reader("serve", "run", RUN_FILES, _listing),
    Reader("export", "run", RUN_FILES, _exported),
    Reader("log validate", "run", (f"{RUN}/events.ndjson",), command("log", "validate", f"{RUN}/events.ndjson")),
    Reader(
        "log validate --required",
        "curves",
        ("rules.toml",),
        command("log", "validate", "log.ndjson", "--required", "rules.toml"),
    ),
    Reader("settings", "sources", ("firstlight.toml",), command("lint", "--no-cache", "healthy.py")),
    Reader(
        "lint",
        "sources",
        ("train.py", "notebook.ipynb"),
        command("lint", "--no-cache", "--format", "FORMAT", "--jobs", "1", "train.py", "notebook.ipynb"),
    ),
    Reader("lint --fix", "sources", ("train.py",), command("lint", "--no-cache", "--fix", "train.py")),
    Reader(
        "lint --baseline",
        "sources",
        ("firstlight-baseline.json",),
        command("lint", "--no-cache", "--baseline", "firstlight-baseline.json", "train.py"),
    ),
    *(
        Reader(
            f"data {name}", "tables", (name,), command("data", name, "--schema", "schema.toml", "--format", "FORMAT")
        )
        for name in ("train.csv", "train.jsonl", "train.parquet")
    ),
    Reader("data --schema", "tables", ("schema.toml",), command("data", "train.csv", "--schema", "schema.toml")),
    Reader("replay", "artifact", ("artifact/manifest.json",), command("replay", "artifact")),
    Reader("artifacts", "artifact", ("artifact/manifest.json", "artifact/before-model.safetensors"), _artifact),
)


def seconds(reader: Reader) -> float:
    """In `make test` some for each kind of input, which its readers share; as long as wanted in `make fuzz`."""
    given = os.environ.get("FUZZ_SECONDS")
    return float(given) if given else EACH_SECONDS / sum(other.sample == reader.sample for other in READERS)
