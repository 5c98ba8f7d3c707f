"""A real run from beginning to end: its directory, its log's first and last line, the program between, its report."""

import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from firstlight.errors import FirstlightError, UsageError
from firstlight.guard.capture.choices import Keep
from firstlight.guard.run import ending, process
from firstlight.guard.run.order import Order
from firstlight.judge.report import machine
from firstlight.observe.target import Target
from firstlight.records import events
from firstlight.records.report import Report, Subject, Timing, Verdict
from firstlight.report import json as json_report
from firstlight.store import version_control
from firstlight.store.event_log import EventLog
from firstlight.store.room import claim
from firstlight.store.run_directory import RunDirectory, here_hash, shown

NOWHERE = Path(os.devnull) / "firstlight"
"""Where every file of ours fails to be written."""
CALLBACK = re.compile(r"[\w.]+:\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    on_red: str = "warn"
    keep: Keep = "off"
    keep_every: int = 10
    ignore: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.on_red not in ("warn", "stop") and not CALLBACK.fullmatch(self.on_red):
            raise UsageError(f"--on-red is {self.on_red!r}; it takes warn, stop or MODULE:FUNCTION.")


@dataclass(frozen=True, slots=True)
class Done:
    code: int
    report: Report


def run(target: Target, chosen: Choices) -> Done:
    """The program runs whatever becomes of our own files; the report says what was lost."""
    directory = _directory()
    order = Order(
        run=str(directory.path.absolute()),
        on_red=chosen.on_red,
        keep=chosen.keep,
        keep_every=chosen.keep_every,
        ignore=chosen.ignore,
        sinks=chosen.sinks,
    )
    _note(
        directory,
        events.RunStart,
        argv=events.shortened(target.words),
        cwd_hash=here_hash(),
        git=version_control.commit(Path.cwd()),
        env=machine(),
        seed=None,
    )
    started, begun = datetime.now(UTC), time.monotonic()
    code = process.run(target, order)
    seconds = time.monotonic() - begun
    _note(directory, events.RunEnd, status="ok" if code == 0 else "failed", elapsed_seconds=seconds, exit_code=code)
    subject = Subject(kind="run", command=target.words, file=target.file, run=shown(directory.path))
    timing = Timing(started=started.isoformat(timespec="seconds").replace("+00:00", "Z"), seconds=round(seconds, 3))
    report = ending.report_of(directory.events, subject, ending.in_words(code), timing)
    _write(directory, report)
    return Done(code or int(report.verdict is Verdict.ILL), report)


def _directory() -> RunDirectory:
    """Here; where there is no room, among temporary files; then in memory; else nowhere, and all of it is lost."""
    why = ""
    for place in (Path.cwd(), Path(tempfile.gettempdir()), Path("/dev/shm")):
        try:
            claim(place)
            run = RunDirectory.create(place if not why else Path(tempfile.mkdtemp(prefix="firstlight-", dir=place)))
        except (OSError, UsageError) as problem:
            why = why or str(problem)
            continue
        if why:
            sys.stderr.write(f"firstlight: {why} This run's is in {run.path}\n")
        return run
    sys.stderr.write(f"firstlight: {why} This run is not recorded\n")
    return RunDirectory(NOWHERE)


def _note(directory: RunDirectory, kind: type[events._Event], **fields: object) -> None:
    try:
        claim(directory.path)
        log = EventLog(directory.events, directory.id)
        log.append(kind, **fields)
        log.close()
    except (OSError, FirstlightError) as error:
        sys.stderr.write(f"firstlight: the log cannot be written ({error})\n")


def _write(directory: RunDirectory, report: Report) -> None:
    try:
        told = json_report.render(report).encode()
        claim(directory.path, len(told))
        directory.report.write_bytes(told)
    except OSError as error:
        sys.stderr.write(f"firstlight: the report cannot be written ({error.strerror or error})\n")
