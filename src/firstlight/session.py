"""The composition root: plans what to observe, has it run, and turns what was seen into a report.

The only module that knows every stage.
"""

import hashlib
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from firstlight import __version__
from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.diagnosis.rank import rank
from firstlight.facts.derive import derive
from firstlight.facts.sources import READ_FROM_SOURCE, SOURCES
from firstlight.findings.gather import gather
from firstlight.findings.judge import judge
from firstlight.findings.suppress import suppress
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target
from firstlight.observe.watch import Eyes, Watched, watch
from firstlight.records import events, observed, wire
from firstlight.records.facts import ScriptOutcome
from firstlight.records.finding import Finding, Scalar, Severity
from firstlight.records.report import REPORT_SCHEMA, Coverage, Report, Status, Subject, Timing, Verdict
from firstlight.report import json as json_report
from firstlight.settings import Settings, enabled
from firstlight.store.event_log import EventLog
from firstlight.store.run_directory import RunDirectory, shown

OUTPUT_LINES = 25
EVENT_STATUS = {Status.ILL: "fail", Status.CLEAN: "pass", Status.SKIPPED: "skip", Status.CRASHED: "error"}
ENDED = {
    "steps": "the step budget was spent",
    "time": "the time budget was spent",
    "exit": "the script finished",
    "finished": "the script finished",
    "stopped": "the time budget was spent",
    "silent": "no step came in time",
    "crashed": "the script crashed",
    "killed": "the script was killed",
}


def check(target: Target, settings: Settings, eyes: Eyes) -> Report:
    """Runs the target under observation and judges it. Leaves a run directory behind, and nothing else."""
    begun = time.monotonic()
    checks = tuple(check for check in enabled(settings, CATALOGUE) if check.needs not in READ_FROM_SOURCE)
    run = RunDirectory.create(Path.cwd())
    log = EventLog(run.events, run.id)
    log.append(
        events.RunStart,
        argv=list(target.words),
        cwd_hash=_hash(os.fspath(Path.cwd())),
        git=_commit(),
        env=_machine(),
        seed=None,
    )
    status, code = "killed", None
    try:
        watched = watch(target, _plan(settings, checks, run), settings.startup_seconds, eyes)
        report = _judged(
            watched,
            checks,
            Subject(kind="script", command=target.words, file=target.file, run=shown(run.path)),
        )
        _note(log, report)
        run.report.write_text(json_report.render(report), encoding="utf-8")
        status, code = "ok", exit_code(report, settings.strict)
        return report
    finally:
        log.append(events.RunEnd, status=status, elapsed_seconds=time.monotonic() - begun, exit_code=code)
        log.close()


def exit_code(report: Report, strict: bool) -> int:
    if report.verdict is Verdict.UNJUDGED:
        return 2
    return int(report.verdict is Verdict.ILL or (strict and report.verdict is Verdict.WARN))


def _plan(settings: Settings, checks: tuple[Check, ...], run: RunDirectory) -> Spec:
    """The union of what the enabled checks need, and nothing else."""
    taps = {tap for check in checks for tap in SOURCES[check.needs].taps}
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
    )


def _judged(watched: Watched, checks: tuple[Check, ...], subject: Subject) -> Report:
    outcome = watched.outcome()
    judged = judge(checks, [*derive(watched.records), outcome], trained=watched.backwards > 0)
    kept, allowed = suppress(judged.findings, Path.cwd())
    findings = gather(kept, symptoms=frozenset(check.id for check in checks if check.symptom))
    verdict, reason = _verdict(findings, outcome)
    shows_output = outcome.ended in ("crashed", "killed") or verdict is Verdict.UNJUDGED
    return Report(
        schema=REPORT_SCHEMA,
        subject=subject,
        verdict=verdict,
        findings=findings,
        diagnosis=rank(findings),
        checks=judged.outcomes,
        coverage=_coverage(watched, allowed),
        timing=_timing(watched),
        environment=_environment(watched),
        reason=reason,
        output_tail=tuple(watched.lines[-OUTPUT_LINES:]) if shows_output else (),
    )


def _verdict(findings: tuple[Finding, ...], outcome: ScriptOutcome) -> tuple[Verdict, str | None]:
    """A script that never trained is not judged, unless the reason why it could not is itself a finding."""
    severities = {finding.severity for finding in findings if finding.name != "script-crashed"}
    if outcome.steps == 0 and Severity.ERROR not in severities:
        return Verdict.UNJUDGED, why_unjudged(outcome)
    severities |= {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        return Verdict.ILL, None
    return (Verdict.WARN if Severity.WARNING in severities else Verdict.CLEAN), None


def why_unjudged(outcome: ScriptOutcome) -> str:
    if outcome.ended == "silent":
        return (
            f"no training step within {outcome.seconds:.0f} s. If the script needs longer to start, "
            "raise --startup-seconds; if it waits for something, give it that"
        )
    if outcome.ended in ("crashed", "killed"):
        return f"the script ended before its first training step: {outcome.message or f'exit code {outcome.exit_code}'}"
    if outcome.backwards:
        return f"{outcome.backwards} backwards and no optimizer step in the time given; raise --seconds"
    return f"the script finished (exit code {outcome.exit_code}) without training anything: backward was never called"


def _coverage(watched: Watched, allowed: tuple[str, ...]) -> Coverage:
    endings = watched.of(observed.Ending)
    unseen = dict.fromkeys(f"not observed: {record.tap}: {record.reason}" for record in watched.of(observed.Unseen))
    return Coverage(
        steps=watched.steps,
        seconds=round(watched.seconds, 3),
        ended=ENDED[endings[0].reason if endings else watched.outcome().ended],
        held_back=tuple(dict.fromkeys(shown(path) for ending in endings for path in ending.held_back)),
        suppressed=allowed,
        limits=(
            f"only the first {watched.steps} steps were observed; later ones, and how well it generalises, were not",
            *unseen,
        ),
    )


def _timing(watched: Watched) -> Timing:
    started = datetime.fromtimestamp(time.time() - watched.seconds, UTC)
    return Timing(
        started=started.isoformat(timespec="seconds").replace("+00:00", "Z"),
        seconds=round(watched.seconds, 3),
        startup_seconds=watched.startup,
        observed_seconds=round(watched.seconds - watched.startup, 3) if watched.startup is not None else None,
    )


def _environment(watched: Watched) -> dict[str, Scalar]:
    processes = watched.of(observed.ProcessSeen)
    if not processes:
        return _machine()
    seen = processes[0]
    return {**_machine(), "torch": seen.torch, "device": seen.device, "threads": seen.threads, "world": seen.world}


def _machine() -> dict[str, Scalar]:
    return {
        "firstlight": __version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "cores": os.cpu_count(),
    }


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
