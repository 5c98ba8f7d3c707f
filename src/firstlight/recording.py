"""One run directory for one judgement: its log begins and ends however the run ends, and holds what was found."""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from firstlight.judge.report import machine
from firstlight.judge.verdict import exit_code
from firstlight.records import events, wire
from firstlight.records.finding import Severity
from firstlight.records.report import Report, Status
from firstlight.report import json as json_report
from firstlight.report.of_run import write_page
from firstlight.settings import Settings
from firstlight.store import leftovers, version_control
from firstlight.store.event_log import EventLog
from firstlight.store.run_directory import RunDirectory, here_hash, text_hash

EVENT_STATUS = {Status.ILL: "fail", Status.CLEAN: "pass", Status.SKIPPED: "skip", Status.CRASHED: "error"}


@contextlib.contextmanager
def recorded(words: tuple[str, ...], settings: Settings) -> Iterator[tuple[RunDirectory, Callable[[Report], Report]]]:
    """A run directory whose log begins and ends, however the run ends. The report goes through the second part."""
    with logged(words) as (run, log, ended):

        def finish(report: Report) -> Report:
            _note(log, report)
            run.report.write_text(json_report.render(report), encoding="utf-8")
            ended.append(exit_code(report, settings.strict))
            write_page(run, log, report)
            return report

        yield run, finish


@contextlib.contextmanager
def logged(words: tuple[str, ...]) -> Iterator[tuple[RunDirectory, EventLog, list[int]]]:
    """A run directory and its log; the exit code goes into the list, which stays empty where there is no answer."""
    begun = time.monotonic()
    run = RunDirectory.create(Path.cwd())
    leftovers.collect(run.path.parent.iterdir(), _clear)
    log = EventLog(run.events, run.id)
    log.append(
        events.RunStart,
        argv=events.shortened(words),
        cwd_hash=here_hash(),
        git=version_control.commit(Path.cwd()),
        env=machine(),
        seed=None,
    )
    ended: list[int] = []
    try:
        with leftovers.in_use(run.path):
            yield run, log, ended
    finally:
        code = ended[0] if ended else None
        seconds = time.monotonic() - begun
        log.append(events.RunEnd, status="ok" if ended else "killed", elapsed_seconds=seconds, exit_code=code)
        log.close()


def _clear(folder: Path) -> None:
    """A run that was killed keeps its log."""
    RunDirectory(folder).clear()
    (folder / leftovers.MARK).unlink()


def seed_of(run: RunDirectory) -> int:
    """For a script that does not seed itself: another one for each run."""
    return int(text_hash(run.id)[:8], 16)


def _note(log: EventLog, report: Report) -> None:
    for outcome in report.checks:
        found = next((finding for finding in report.findings if finding.id == outcome.id), None)
        log.append(
            events.CheckResult,
            check_id=outcome.id,
            status=EVENT_STATUS[outcome.status],
            severity=found.severity.value if found else Severity.NOTE.value,
            duration_s=outcome.seconds,
            message=found.summary if found else outcome.reason or "",
        )
    for finding in report.findings:
        log.append(
            events.FindingSeen,
            rule_id=finding.id,
            severity=finding.severity.value,
            message=f"{finding.name}: {finding.saw}",
            step=finding.where.step,
            where=wire.to_plain(finding.where),
            evidence=wire.to_plain(finding.evidence),
            causes=[finding.cause],
            fix=finding.do,
            count=finding.count,
        )
    if report.diagnosis:
        log.append(events.Hypotheses, posterior=[wire.to_plain(hypothesis) for hypothesis in report.diagnosis])


def rewrite(run: RunDirectory, report: Report) -> Report:
    """The report of a run that is over, with what was found out since."""
    run.report.write_text(json_report.render(report), encoding="utf-8")
    log = EventLog(run.events, run.id)
    write_page(run, log, report)
    log.close()
    return report
