"""The run directory of a verb of the lab: its log, its answer as `lab.json`, and its page."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from firstlight.judge.report import machine
from firstlight.recording import logged
from firstlight.records import events
from firstlight.records.lab import LabReport
from firstlight.report import lab
from firstlight.report.lab import ANSWER, PAGE
from firstlight.store.event_log import EventLog
from firstlight.store.run_directory import RunDirectory, shown


@dataclass(frozen=True, slots=True)
class LabRun:
    """Where a verb works, and by what it ends."""

    run: RunDirectory
    log: EventLog
    finish: Callable[[LabReport], LabReport]


@contextlib.contextmanager
def kept(words: tuple[str, ...]) -> Iterator[LabRun]:
    """A run directory whose log begins and ends, however the verb ends."""
    begun = time.monotonic()
    with logged(words) as (run, log, ended):

        def finish(report: LabReport) -> LabReport:
            seconds = round(time.monotonic() - begun, 3)
            made = msgspec.structs.replace(report, run=shown(run.path), environment=machine(), seconds=seconds)
            (run.path / ANSWER).write_text(lab.json(made), encoding="utf-8")
            ended.append(0)
            _write_page(run, log, made)
            return made

        yield LabRun(run, log, finish)


def _write_page(run: RunDirectory, log: EventLog, report: LabReport) -> None:
    """A page that cannot be drawn must not cost the answer: the log says what happened."""
    try:
        (run.path / PAGE).write_text(lab.page(report), encoding="utf-8")
    except Exception as fault:  # noqa: BLE001 (see above)
        name = type(fault).__name__
        log.append(events.ExceptionSeen, type=name, message=f"{PAGE}: {fault}"[:500], traceback_hash=name)
