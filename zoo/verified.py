"""The committed list of what was verified, so that a score needs no verification runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zoo.errors import ZooError
from zoo.mutants import Mutant, content_of
from zoo.records import Program
from zoo.running import Outcome

FILE = Path(__file__).parent / "verified.json"
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """The runs of one program or mutant, and the ruling on them."""

    content: str
    """The fingerprint of what was run: an entry whose fingerprint differs is out of date."""
    kept: bool
    why: str
    runs: tuple[Outcome, ...]
    """One for each seed, in the order of the seeds; fewer where the first settled it."""

    @property
    def seconds(self) -> float:
        """Of a plain run: the least, since a busy machine only ever adds to it."""
        return min(run.seconds for run in self.runs)


@dataclass(slots=True)
class Verified:
    programs: dict[str, Entry] = field(default_factory=dict)
    mutants: dict[str, Entry] = field(default_factory=dict)

    def program(self, program: Program) -> Entry | None:
        return _current(self.programs.get(program.slug), content_of(program))

    def mutant(self, mutant: Mutant) -> Entry | None:
        return _current(self.mutants.get(mutant.id), mutant.content)


def _current(entry: Entry | None, content: str) -> Entry | None:
    return entry if entry is not None and entry.content == content else None


def load(path: Path = FILE) -> Verified:
    if not path.exists():
        return Verified()
    try:
        tables = json.loads(path.read_text(encoding="utf-8"))
        return Verified(*({name: _entry(row) for name, row in tables[key].items()} for key in ("programs", "mutants")))
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as problem:
        raise ZooError(
            f"{path.name} cannot be read ({problem}); delete it and run `python -m zoo verify`, "
            "which takes what it has in its cache"
        ) from problem


def save(verified: Verified, path: Path = FILE) -> None:
    """One line for each entry, so that a change of one is a change of one line."""
    parts = [_lines("programs", verified.programs), _lines("mutants", verified.mutants)]
    beside = path.with_suffix(".tmp")
    beside.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")
    beside.replace(path)


def _lines(title: str, entries: Mapping[str, Entry]) -> str:
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(_row(entries[name]))}" for name in sorted(entries))
    return f'"{title}": {{\n{rows}\n}}'


def _row(entry: Entry) -> dict[str, Any]:
    return {
        "content": entry.content,
        "kept": entry.kept,
        "why": entry.why,
        "runs": [
            [run.ending, None if run.metric is None else round(run.metric, DIGITS), round(run.seconds, 1)]
            for run in entry.runs
        ],
    }


def _entry(row: Mapping[str, Any]) -> Entry:
    return Entry(row["content"], row["kept"], row["why"], tuple(Outcome(*run) for run in row["runs"]))
