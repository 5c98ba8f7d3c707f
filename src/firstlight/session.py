"""The composition root: plans what to observe, has it run, and hands what was seen to be judged.

The only module that knows every stage.
"""

import contextlib
import hashlib
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from firstlight.assembly import Judged, judged, machine, report_of, suspects
from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.diagnosis.case import Case
from firstlight.diagnosis.evidence import case_of, ruled_out
from firstlight.diagnosis.symptoms import parse
from firstlight.errors import UsageError
from firstlight.experiments.engine import ForkEngine
from firstlight.facts.sources import LIVE, READ_FROM_SOURCE, SOURCES
from firstlight.inquiry import Inquiry
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Eyes, Watched, read_log, watch
from firstlight.records import events, wire
from firstlight.records.finding import Severity
from firstlight.records.report import Report, Status, Subject, Verdict
from firstlight.report import json as json_report
from firstlight.report.of_run import write_page
from firstlight.settings import Settings, enabled
from firstlight.store.event_log import EventLog
from firstlight.store.run_directory import RunDirectory, shown
from firstlight.trial import CONTROLS, Trial, orders_for

EVENT_STATUS = {Status.ILL: "fail", Status.CLEAN: "pass", Status.SKIPPED: "skip", Status.CRASHED: "error"}


def check(target: Target, settings: Settings, eyes: Eyes) -> Report:
    """Runs the target under observation and judges it. Leaves a run directory behind, and nothing else."""
    checks = _checks(settings)
    with _recorded(target, settings) as (run, finish):
        engine = ForkEngine(run.path.absolute(), settings.budget.seconds)
        trial = Trial(engine, CONTROLS[settings.profile], lambda seen: suspects(seen, checks, engine))
        watched = watch(
            target, _plan(settings, checks, run, trial.controls != ()), replace(eyes, settled=trial.settled)
        )
        return finish(report_of(watched, judged(watched, checks, engine), _subject(target, run)))


def diagnose(target: Target, settings: Settings, eyes: Eyes, symptom: str | None) -> Report:
    """As `check`, with experiments chosen by what they would tell, until one cause stands out or nothing more helps."""
    checks = _checks(settings)
    with _recorded(target, settings) as (run, finish):
        engine = ForkEngine(run.path.absolute(), DIAGNOSIS_SECONDS)
        known: Callable[[Watched], Judged] = lambda seen: judged(seen, checks, engine)  # noqa: E731
        inquiry = Inquiry(
            engine,
            lambda seen: _case(known(seen), checks),
            DIAGNOSIS_SECONDS,
            understood(symptom),
            suspects=lambda seen: suspects(seen, checks, engine),
        )
        spec = _plan(settings, checks, run, experiments=True)
        watched = watch(target, spec, replace(eyes, settled=inquiry.settled))
        return finish(_concluded(report_of(watched, known(watched), _subject(target, run)), inquiry, watched))


def diagnose_run(path: Path, settings: Settings, symptom: str | None) -> Report:
    """From the event log of an earlier run, without running anything."""
    run = RunDirectory(path)
    if not run.events.is_file():
        raise UsageError(f"{path} holds no events.ndjson: it is not the directory of a run")
    watched = read_log(run.events)
    checks = _checks(settings)
    engine = ForkEngine(path, 0.0, ordered=orders_for(tuple(watched.timelines)))
    known = judged(watched, checks, engine)
    inquiry = Inquiry(engine, lambda _: _case(known, checks), 0.0, understood(symptom))
    return _concluded(
        report_of(watched, known, Subject(kind="log", command=(shown(path),), run=shown(path))), inquiry, watched
    )


DIAGNOSIS_SECONDS = 90.0
"""For everything after the first training step."""


def _case(known: Judged, checks: tuple[Check, ...]) -> Case:
    return case_of(known.facts, known.findings).hinting(ruled_out(known.outcomes, checks))


def understood(text: str | None) -> dict[str, bool]:
    """A symptom in the user's words, as observations."""
    if text is None:
        return {}
    read = parse(text)
    if not read.observations:
        raise UsageError(
            f"the symptom {text!r} was not understood. Say what the loss does: stuck, rises, NaN, oscillates …"
        )
    return dict(read.observations)


def _concluded(report: Report, inquiry: Inquiry, watched: Watched) -> Report:
    return report if report.verdict is Verdict.UNJUDGED else inquiry.conclude(report, watched)


def _subject(target: Target, run: RunDirectory) -> Subject:
    return Subject(kind="script", command=target.words, file=target.file, run=shown(run.path))


@contextlib.contextmanager
def _recorded(target: Target, settings: Settings) -> Iterator[tuple[RunDirectory, Callable[[Report], Report]]]:
    """A run directory whose log begins and ends, however the run ends. The report goes through the second part."""
    begun = time.monotonic()
    run = RunDirectory.create(Path.cwd())
    log = EventLog(run.events, run.id)
    where = _hash(os.fspath(Path.cwd()))
    log.append(events.RunStart, argv=list(target.words), cwd_hash=where, git=_commit(), env=machine(), seed=None)
    ended: list[int] = []

    def finish(report: Report) -> Report:
        _note(log, report)
        run.report.write_text(json_report.render(report), encoding="utf-8")
        ended.append(exit_code(report, settings.strict))
        write_page(run, log, report)
        return report

    try:
        yield run, finish
    finally:
        code = ended[0] if ended else None
        seconds = time.monotonic() - begun
        log.append(events.RunEnd, status="ok" if ended else "killed", elapsed_seconds=seconds, exit_code=code)
        log.close()


def exit_code(report: Report, strict: bool) -> int:
    if report.verdict is Verdict.UNJUDGED:
        return 2
    return int(report.verdict is Verdict.ILL or (strict and report.verdict is Verdict.WARN))


def _checks(settings: Settings) -> tuple[Check, ...]:
    """Those a short run can answer; sources are judged by `firstlight lint`, long runs by the guard."""
    return tuple(check for check in enabled(settings, CATALOGUE) if check.needs not in READ_FROM_SOURCE | LIVE)


def _plan(settings: Settings, checks: tuple[Check, ...], run: RunDirectory, experiments: bool) -> Spec:
    """The union of what the enabled checks need, and what the page draws."""
    taps = {tap for check in checks for tap in SOURCES[check.needs].taps} | {"portrait"}
    budget = settings.budget
    path = run.path.absolute()
    return Spec(
        run_id=run.id,
        run=str(path),
        events=str(RunDirectory(path).events),
        scratch=str(RunDirectory(path).scratch),
        cwd=str(Path.cwd()),
        owner=os.getpid(),
        steps=budget.steps,
        seconds=budget.seconds,
        full_steps=budget.full_steps,
        sample_every=budget.sample_every,
        taps=tuple(sorted(taps)),
        contain=settings.contain,
        extensions=ForkEngine.EXTENSIONS if experiments else (),
    )


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


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _commit() -> str | None:
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=2, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None
