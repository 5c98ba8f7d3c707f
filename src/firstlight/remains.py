"""What can be said of a run from its log alone: one that was killed and left no report, or a guarded one."""

import os
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from firstlight import hindsight, session
from firstlight.errors import FirstlightError, UsageError
from firstlight.guard.run import ending
from firstlight.integrations.recorded import Recorded, curves_of
from firstlight.records import wire
from firstlight.records.report import Report, Subject, Timing, Verdict
from firstlight.report import of_run
from firstlight.settings import Settings
from firstlight.store.event_log import LineReader
from firstlight.store.run_directory import RunDirectory, shown

T = TypeVar("T")

CUT_SHORT = "the log ends before the run did: it was killed, or it is still going"
WORST_FIRST = (Verdict.ILL, Verdict.WARN, Verdict.CLEAN, Verdict.UNJUDGED)


def report_of(run: RunDirectory, settings: Settings) -> Report:
    """The report that the run left; where it left none, what its log says."""
    if os.path.lexists(run.report) or not os.path.lexists(run.events):
        return of_run.report_of(run)
    log = _Ends(run)
    if log.guarded:
        return _understood(run, lambda: _of_guard(run, log))
    report = _understood(run, lambda: session.judge_log(run.path, settings))
    ended = report.coverage.ended if log.last else CUT_SHORT
    return msgspec.structs.replace(report, coverage=msgspec.structs.replace(report.coverage, ended=ended))


def recorded(run: RunDirectory, settings: Settings) -> Recorded:
    """As trackers take it."""
    return Recorded(run, report_of(run, settings), curves_of(run))


def diagnose(run: RunDirectory, settings: Settings, symptom: str | None) -> Report:
    """Why it trained badly, without running anything."""
    symptoms = session.understood(symptom)
    log = _Ends(run)
    if not log.guarded:
        return _understood(run, lambda: session.diagnose_run(run.path, settings, symptom))
    told = _understood(run, lambda: _of_guard(run, log))
    asked = _understood(run, lambda: hindsight.diagnose_curves(curves_of(run), settings, symptoms))
    worst = min((told.verdict, asked.verdict), key=WORST_FIRST.index)
    return msgspec.structs.replace(
        told,
        verdict=worst,
        reason=told.reason or asked.reason,
        diagnosis=asked.diagnosis or told.diagnosis,
        trail=asked.trail,
        reasoning=asked.reasoning,
    )


class _Ends:
    """The first and the last line of a log, and whether a guard wrote in it."""

    def __init__(self, run: RunDirectory) -> None:
        self.first: dict[str, Any] = {}
        self.last: dict[str, Any] = {}
        """The end of the run; empty where there is none."""
        self.guarded = False
        for event in LineReader(run.events).new():
            if event["phase"] == "run_start":
                self.first = self.first or event
                self.guarded = self.guarded or event.get("rank") is not None
            elif event["phase"] == "run_end":
                self.last = event


def _of_guard(run: RunDirectory, log: _Ends) -> Report:
    argv = log.first.get("argv")
    command = tuple(map(str, argv)) if isinstance(argv, list) else ()
    subject = Subject(kind="run", command=command or (shown(run.path),), run=shown(run.path))
    seconds = wire.number(log.last.get("elapsed_seconds")) or 0.0
    ended = f"the run ended: {log.last.get('status')}" if log.last else CUT_SHORT
    timing = Timing(started=str(log.first.get("ts", "")), seconds=seconds)
    return ending.report_of(run.events, subject, ended, timing, shows_source=False)


def _understood(run: RunDirectory, judged: Callable[[], T]) -> T:
    """Lines may each be sound and not fit together: a damaged log is not our fault."""
    try:
        return judged()
    except FirstlightError:
        raise
    except Exception as fault:
        told = f"{type(fault).__name__}: {fault}"[:200]
        raise UsageError(f"{run.events} is damaged: what it holds does not fit together ({told}).") from fault
