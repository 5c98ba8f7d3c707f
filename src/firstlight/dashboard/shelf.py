"""The runs below a folder, each in one line. What was read once is read again only when its files change."""

import stat
import time
from pathlib import Path
from typing import Any

import msgspec

from firstlight.errors import FirstlightError, UnreadableError, UsageError
from firstlight.records import wire
from firstlight.records.report import Report
from firstlight.report.of_run import report_of
from firstlight.store import plain_files
from firstlight.store.event_log import LineReader, first
from firstlight.store.run_directory import FOLDER, RunDirectory

END_BYTES, LONG_END_BYTES = 64 * 1024, 2 * 1024 * 1024
"""Of a log, read to learn how far it is."""
MOST_REPORT_BYTES = 16 * 1024 * 1024
QUIET_SECONDS = 60.0
"""A run that was not ended and has written nothing for so long is called silent."""
MOST_RUNS = 10_000


class _Subject(msgspec.Struct):
    command: tuple[str, ...] = ()


class _Found(msgspec.Struct):
    severity: str = ""


class _Cause(msgspec.Struct):
    cause: str = ""
    probability: float = 0.0


class _Coverage(msgspec.Struct):
    steps: int = 0


class _Timing(msgspec.Struct):
    started: str = ""
    seconds: float = 0.0


class _Told(msgspec.Struct):
    """The parts of a report that the list shows."""

    verdict: str | None = None
    subject: _Subject = msgspec.field(default_factory=_Subject)
    findings: tuple[_Found, ...] = ()
    diagnosis: tuple[_Cause, ...] = ()
    coverage: _Coverage = msgspec.field(default_factory=_Coverage)
    timing: _Timing = msgspec.field(default_factory=_Timing)


class Card(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    state: str
    """`running`, `ended`, or `silent`: neither ended nor writing."""
    verdict: str | None
    command: str
    started: str
    seconds: float
    steps: int
    loss: float | None
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    cause: str | None = None
    quiet: float = 0.0
    """Seconds since a silent run last wrote."""


class Shelf:
    def __init__(self, folder: Path) -> None:
        self.root = _root(folder)
        self._known: dict[str, tuple[tuple[int, ...], Card, float]] = {}

    def cards(self) -> list[Card]:
        """The newest first."""
        folders = (path for path in self.root.iterdir() if path.is_dir() and not path.is_symlink())
        names = sorted((path.name for path in folders), reverse=True)
        found = [self._card(RunDirectory(self.root / name)) for name in names[:MOST_RUNS] if not name.startswith(".")]
        return [card for card in found if card is not None]

    def run(self, name: str) -> RunDirectory | None:
        """Only what lies directly in the folder, and is no link out of it."""
        path = self.root / name
        inside = name not in ("", ".", "..") and not set(name) & set("/\\\0") and path.resolve().parent == self.root
        run = RunDirectory(path)
        return run if inside and (run.events.is_file() or run.report.is_file()) else None

    def card(self, run: RunDirectory) -> Card | None:
        return self._card(run)

    def report(self, run: RunDirectory) -> Report | None:
        """None while there is none, or where it is not one."""
        try:
            return report_of(run) if _stamp(run.report)[1] <= MOST_REPORT_BYTES else None
        except UsageError:
            return None

    def _card(self, run: RunDirectory) -> Card | None:
        stamp = (*_stamp(run.events), *_stamp(run.report))
        if not any(stamp):
            return None
        known = self._known.get(run.id)
        if known is None or known[0] != stamp:
            self._known[run.id] = known = (stamp, _read(run), stamp[0] / 1e9)
        _, card, written = known
        quiet = max(0.0, time.time() - written)
        silent = card.state == "running" and quiet > QUIET_SECONDS
        return msgspec.structs.replace(card, state="silent", quiet=quiet) if silent else card


def _root(folder: Path) -> Path:
    """A project, its `.firstlight`, the folder of its runs, or one run."""
    for path in (folder / FOLDER / "runs", folder / "runs", folder):
        if path.is_dir():
            single = (path / "events.ndjson").is_file() or (path / "report.json").is_file()
            return path.resolve().parent if single else path.resolve()
    raise UsageError(f"{folder} is no folder. Name a project in which `firstlight check` was run.")


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.lstat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size) if stat.S_ISREG(found.st_mode) else (0, 0)


def _read(run: RunDirectory) -> Card:
    told = _told(run.report)
    begin, last, step = _ends(run.events)
    ended = last.get("phase") == "run_end" or (told is not None and not last)
    told = told or _Told()
    severities = [found.severity for found in told.findings]
    command = told.subject.command or tuple(map(str, _listed(begin.get("argv"))))
    return Card(
        id=run.id,
        state="ended" if ended else "running",
        verdict=told.verdict,
        command=" ".join(command),
        started=str(begin.get("ts") or told.timing.started),
        seconds=wire.number(last.get("elapsed_seconds")) or told.timing.seconds,
        steps=max(told.coverage.steps, 1 + step["step"] if isinstance(step.get("step"), int) else 0),
        loss=wire.number(step.get("loss")),
        errors=severities.count("error"),
        warnings=severities.count("warning"),
        notes=severities.count("note"),
        cause=told.diagnosis[0].cause if told.diagnosis and told.verdict in ("ill", "warn") else None,
    )


def _told(path: Path) -> _Told | None:
    try:
        return wire.decode(plain_files.contents(path, MOST_REPORT_BYTES), _Told)
    except (UnreadableError, msgspec.MsgspecError):
        return None


def _ends(path: Path) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The first line of a log, its last, and its last step of the program itself.

    Experiments write after the program: where their lines fill the end, more of it is read.
    """
    size, step, events = _stamp(path)[1], None, []
    for reach in (END_BYTES, LONG_END_BYTES):
        try:
            events = list(LineReader(path, start=max(0, size - reach)).new())
        except FirstlightError:  # it is no log, whatever its name
            break
        steps = (event for event in reversed(events) if event["phase"] == "step" and event.get("timeline") is None)
        if (step := next(steps, None)) is not None or reach >= size:
            break
    return first(path), events[-1] if events else {}, step or {}


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
