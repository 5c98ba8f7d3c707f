"""The composition root: plans what to observe, runs it, and turns what was seen into a report.

The only module that knows every stage, and the only one that may end a run.
"""

import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import msgspec

from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.diagnosis.rank import rank
from firstlight.facts.derive import derive
from firstlight.facts.sources import READ_FROM_SOURCE, SOURCES
from firstlight.findings.gather import gather
from firstlight.findings.judge import judge
from firstlight.findings.suppress import suppress
from firstlight.observe import spec as session_spec
from firstlight.observe import target as targets
from firstlight.observe import traceback
from firstlight.observe.inside import containment
from firstlight.observe.process import Script
from firstlight.records import events, observed, wire
from firstlight.records.facts import ScriptOutcome
from firstlight.records.finding import Finding, Scalar, Severity
from firstlight.records.report import REPORT_SCHEMA, Coverage, Report, Status, Subject, Timing, Verdict
from firstlight.settings import Settings, enabled
from firstlight.store.event_log import EventLog, LineReader
from firstlight.store.run_directory import RunDirectory, relative_to_here

GRACE_SECONDS = 10.0
"""After the budget, for a last long step; and for the script's own clean-up once it was told to stop."""
OUTPUT_LINES = 25

Progress = Callable[[str], None]


@dataclass
class Watched:
    """What came out of one run of the script."""

    records: list[observed.Observed] = field(default_factory=list)
    outcome: ScriptOutcome | None = None
    lines: list[str] = field(default_factory=list)
    seconds: float = 0.0
    startup: float | None = None
    broken: list[str] = field(default_factory=list)

    @property
    def backwards(self) -> int:
        return sum(isinstance(record, observed.BackwardSeen) for record in self.records)

    @property
    def steps(self) -> int:
        counted = [r.step + 1 for r in self.records if isinstance(r, observed.StepSeen)]
        manual = [r.steps or r.backwards for r in self.records if isinstance(r, observed.Ending) and not r.optimizers]
        return max([*counted, *manual], default=0)


def check(target: targets.Target, settings: Settings, progress: Progress, echo: IO[bytes] | None) -> Report:
    """Runs the target under observation and judges it. Leaves a run directory behind, and nothing else."""
    started = time.monotonic()
    when = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    checks = tuple(check for check in enabled(settings, CATALOGUE) if check.needs not in READ_FROM_SOURCE)
    run = RunDirectory.create(Path.cwd())
    log = EventLog(run.events, run.id)
    log.append(events.RunStart, argv=list(target.words), cwd_hash=_hash(os.getcwd()), git=_commit(), env=_machine(), seed=None)
    status, code = "killed", None
    try:
        watched = _watch(target, settings, checks, run, progress, echo)
        report = _report(target, run, checks, watched, when, time.monotonic() - started)
        _note(log, report)
        status, code = "ok", exit_code(report, settings.strict)
        run.report.write_bytes(msgspec.json.format(wire.encode(report), indent=1))
        return report
    finally:
        shutil.rmtree(run.scratch, ignore_errors=True)
        run.session.unlink(missing_ok=True)
        log.append(events.RunEnd, status=status, elapsed_seconds=time.monotonic() - started, exit_code=code)
        log.close()


def exit_code(report: Report, strict: bool) -> int:
    if report.verdict is Verdict.UNJUDGED:
        return 2
    if report.verdict is Verdict.ILL or (strict and report.verdict is Verdict.WARN):
        return 1
    return 0


def _watch(
    target: targets.Target,
    settings: Settings,
    checks: tuple[Check, ...],
    run: RunDirectory,
    progress: Progress,
    echo: IO[bytes] | None,
) -> Watched:
    with _temporary_folder() as temporary:
        spec = _plan(settings, checks, run)
        session_spec.write(spec, run.session)
        environment = _environment(spec, run, temporary)
        lent = targets.lend(target.interpreter, temporary / "lent")
        if lent is not None:
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, [lent, environment.get("PYTHONPATH")]))
        script = Script(target.command, environment, run.output, echo)
        try:
            return _follow(script, spec, settings, run, progress)
        finally:
            script.end()


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """Short, because sockets live in it and their paths may not be long."""
    folder = Path(tempfile.mkdtemp(prefix="fl-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _plan(settings: Settings, checks: tuple[Check, ...], run: RunDirectory) -> session_spec.Spec:
    """The union of what the enabled checks need, and nothing else."""
    taps = {tap for check in checks for tap in SOURCES[check.needs].taps}
    budget = settings.budget
    return session_spec.Spec(
        run_id=run.id,
        run=str(run.path.absolute()),
        events=str(run.events.absolute()),
        scratch=str(run.scratch.absolute()),
        cwd=os.getcwd(),
        owner=os.getpid(),
        steps=budget.steps,
        seconds=budget.seconds,
        full_steps=budget.full_steps,
        sample_every=budget.sample_every,
        taps=tuple(sorted(taps)),
        contain=settings.contain,
    )


def _environment(spec: session_spec.Spec, run: RunDirectory, temporary: Path) -> dict[str, str]:
    """The user's environment, with the session, no new byte-code files, and temporary files that vanish."""
    found = {**os.environ, session_spec.VARIABLE: str(run.session.absolute())}
    found |= {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    if spec.contain:
        found |= {"TMPDIR": str(temporary), **containment.tracker_environment(Path(spec.scratch))}
    return found


def _follow(script: Script, spec: session_spec.Spec, settings: Settings, run: RunDirectory, progress: Progress) -> Watched:
    watched = Watched()
    reader = LineReader(run.events)
    endings: list[float] = []

    def over() -> bool:
        for event in reader.new():
            _take(event, watched, script.seconds)
        _tell(progress, watched, spec, script.seconds)
        if any(isinstance(record, observed.Ending) for record in watched.records):
            endings.append(script.seconds)
            return script.seconds - endings[0] > GRACE_SECONDS
        if watched.startup is None:
            return script.seconds > settings.startup_seconds
        return script.seconds - watched.startup > spec.seconds + GRACE_SECONDS

    code = script.wait(over)
    script.end()
    for event in reader.new():
        _take(event, watched, script.seconds)
    watched.seconds = script.seconds
    watched.broken = reader.broken
    watched.lines = traceback.without_ours(script.output.lines())
    watched.outcome = _outcome(code, watched, bool(endings) or _has_ending(watched))
    return watched


def _has_ending(watched: Watched) -> bool:
    return any(isinstance(record, observed.Ending) for record in watched.records)


def _take(event: dict[str, Any], watched: Watched, seconds: float) -> None:
    plain = event.get("observed")
    if plain is None:
        return
    record: observed.Observed = wire.convert(plain, observed.Observed)  # type: ignore[arg-type]  # a union is a type here
    if watched.startup is None and isinstance(record, observed.BackwardSeen):
        watched.startup = seconds
    watched.records.append(record)


def _tell(progress: Progress, watched: Watched, spec: session_spec.Spec, seconds: float) -> None:
    last = next((r for r in reversed(watched.records) if isinstance(r, observed.StepSeen)), None)
    if last is None:
        progress(f"starting the script … {seconds:.0f} s")
    else:
        loss = f", loss {last.loss:.4g}" if last.loss is not None else ""
        progress(f"step {last.step + 1} of {spec.steps}{loss}, {seconds:.0f} s")


def _outcome(code: int | None, watched: Watched, told: bool) -> ScriptOutcome:
    ours = told and any(isinstance(r, observed.Ending) and r.reason != "exit" for r in watched.records)
    if code is None:
        ended = "stopped" if watched.backwards else "silent"
    elif ours:
        ended = "stopped"
    elif code == 0:
        ended = "finished"
    else:
        ended = "crashed" if code > 0 else "killed"
    message = traceback.message_of(watched.lines) if ended in ("crashed", "killed") else ""
    return ScriptOutcome(
        ended=ended,
        exit_code=code,
        seconds=watched.seconds,
        imported_torch=bool(watched.records),
        backwards=watched.backwards,
        steps=watched.steps,
        message=f"killed by signal {-code}" if ended == "killed" and code is not None else message,
        site=traceback.site_of(watched.lines, Path.cwd()) if ended == "crashed" else None,
        wants_input=message.startswith("EOFError"),
    )


def _report(
    target: targets.Target, run: RunDirectory, checks: tuple[Check, ...], watched: Watched, when: str, seconds: float
) -> Report:
    outcome = watched.outcome
    assert outcome is not None
    facts = [*derive(watched.records), outcome]
    judged = judge(checks, facts, trained=watched.backwards > 0)
    symptoms = frozenset(check.id for check in checks if check.symptom)
    kept, allowed = suppress(judged.findings, Path.cwd())
    findings = gather(kept, symptoms)
    verdict, reason = _verdict(findings, outcome)
    crashed = outcome.ended in ("crashed", "killed")
    return Report(
        schema=REPORT_SCHEMA,
        subject=Subject(kind="script", command=target.words, file=target.file, run=relative_to_here(run.path)),
        verdict=verdict,
        findings=findings,
        diagnosis=rank(findings),
        checks=judged.outcomes,
        coverage=_coverage(watched, allowed),
        timing=Timing(
            started=when,
            seconds=round(seconds, 3),
            startup_seconds=watched.startup,
            observed_seconds=round(watched.seconds - watched.startup, 3) if watched.startup is not None else None,
        ),
        environment=_environment_seen(watched),
        reason=reason,
        output_tail=tuple(watched.lines[-OUTPUT_LINES:]) if crashed or verdict is Verdict.UNJUDGED else (),
    )


def _verdict(findings: tuple[Finding, ...], outcome: ScriptOutcome) -> tuple[Verdict, str | None]:
    errors = [f for f in findings if f.severity is Severity.ERROR and f.name != "script-crashed"]
    if not errors and outcome.steps == 0:
        return Verdict.UNJUDGED, why_unjudged(outcome)
    if any(finding.severity is Severity.ERROR for finding in findings):
        return Verdict.ILL, None
    if any(finding.severity is Severity.WARNING for finding in findings):
        return Verdict.WARN, None
    return Verdict.CLEAN, None


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
    if not outcome.imported_torch:
        return f"the script finished (exit code {outcome.exit_code}) and never trained anything with torch"
    return "the script finished and never called backward"


def _coverage(watched: Watched, allowed: tuple[str, ...]) -> Coverage:
    outcome = watched.outcome
    assert outcome is not None
    endings = [record for record in watched.records if isinstance(record, observed.Ending)]
    unseen = [f"{r.tap}: {r.reason}" for r in watched.records if isinstance(r, observed.Unseen)]
    words = {"steps": "the step budget was spent", "time": "the time budget was spent", "exit": "the script finished"}
    ended = words[endings[0].reason] if endings else f"the script {outcome.ended}"
    limits = [f"only the first {watched.steps} steps were observed; later ones, and how well it generalises, were not"]
    limits += [f"not observed: {reason}" for reason in dict.fromkeys(unseen)]
    return Coverage(
        steps=watched.steps,
        seconds=round(watched.seconds, 3),
        ended=ended,
        held_back=tuple(dict.fromkeys(path for ending in endings for path in ending.held_back)),
        suppressed=allowed,
        limits=tuple(limits),
    )


def _environment_seen(watched: Watched) -> dict[str, Scalar]:
    seen = next((record for record in watched.records if isinstance(record, observed.ProcessSeen)), None)
    if seen is None:
        return _machine()
    return {**_machine(), "torch": seen.torch, "device": seen.device, "threads": seen.threads, "world": seen.world}


def _machine() -> dict[str, Scalar]:
    from firstlight import __version__

    return {
        "firstlight": __version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "cores": os.cpu_count(),
    }


def _note(log: EventLog, report: Report) -> None:
    for outcome in report.checks:
        found = next((finding for finding in report.findings if finding.id == outcome.id), None)
        status = {Status.ILL: "fail", Status.CLEAN: "pass", Status.SKIPPED: "skip", Status.CRASHED: "error"}[outcome.status]
        log.append(
            events.CheckResult,
            check_id=outcome.id,
            status=status,
            severity=found.severity.value if found else "note",
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
