"""The report on a guarded run, from its log alone: it is the same after a crash, a kill or a clean end."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from firstlight.checks.catalogue import CATALOGUE
from firstlight.checks.declare import Check
from firstlight.checks.retired import successor
from firstlight.checks.run import check_crashed
from firstlight.facts.sources import LIVE, SOURCES
from firstlight.findings.judge import Judgement, judge
from firstlight.judge.report import machine, report
from firstlight.observe.source.excerpts import excerpts
from firstlight.records import events, wire
from firstlight.records.facts import CheckCrash
from firstlight.records.finding import Finding, Scalar, Witness
from firstlight.records.program import Unseen
from firstlight.records.report import CheckOutcome, Coverage, Report, Status, Subject, Timing
from firstlight.store.event_log import LineReader, typed

NOT_ATTACHED = "activation-failed.txt"
"""What is left in the run directory by a guard that failed inside the program."""


@dataclass
class Logged:
    """What the log of one run tells."""

    findings: list[Finding] = field(default_factory=list)
    crashes: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    """Checks that were not asked, and why."""
    ready: set[str] = field(default_factory=set)
    """Checks that have seen enough to judge by."""
    lost: list[str] = field(default_factory=list)
    steps: int = 0
    torch: dict[str, Scalar] = field(default_factory=dict)
    artifacts: list[str] = field(default_factory=list)
    fault: str | None = None
    """Why the guard could not be attached."""


def read(path: Path) -> Logged:
    logged, reader = Logged(), LineReader(path)
    for line in reader.new():
        event = typed(line)
        if event is not None:
            _hear(logged, event)
    if reader.torn:
        logged.lost.append("the last line of the log is torn: the program ended while it was written")
    logged.lost += [f"a line of the log cannot be read: {broken}" for broken in reader.broken]
    logged.fault = _why_not_attached(path.parent / NOT_ATTACHED)
    return logged


def _why_not_attached(trace: Path) -> str | None:
    """The last line of what was raised inside the program."""
    lines = trace.read_text(encoding="utf-8", errors="replace").split("\n") if trace.is_file() else []
    return next((line for line in reversed(lines) if line.strip()), None)


def _hear(logged: Logged, event: Any) -> None:
    match event:
        case events.Step():
            logged.steps = max(logged.steps, event.step + 1)
        case events.RunEnd() if event.steps is not None:
            logged.steps = max(logged.steps, event.steps)
        case events.FindingSeen() if event.finding is not None:
            _hear_finding(logged, event.finding)
        case events.RedFlag() if event.since is not None:
            _hear_consequence(logged, event)
        case events.CheckResult():
            _hear_check(logged, event)
        case events.ExceptionSeen() if event.message.startswith("guard: "):
            logged.lost.append(f"a fault of the guard: {event.message.removeprefix('guard: ')} ({event.type})")
        case events.Fact():
            _hear_fact(logged, event.observed)
        case events.Artifact():
            logged.artifacts.append(event.path)
        case events.RunStart() if event.rank is not None:
            logged.torch = event.env


def _hear_finding(logged: Logged, plain: dict[str, Any]) -> None:
    try:
        logged.findings.append(wire.convert(plain, Finding))
    except (msgspec.ValidationError, RecursionError):
        logged.lost.append("a finding in the log cannot be read")


def _hear_consequence(logged: Logged, event: events.RedFlag) -> None:
    """Under the last flag of that rule."""
    for place in reversed(range(len(logged.findings))):
        first = logged.findings[place]
        if first.id == event.since:
            told = Witness(id=event.rule_id, kind="live", where="", says=f"since then {event.message}", weight=0.0)
            logged.findings[place] = msgspec.structs.replace(first, witnesses=(*first.witnesses, told))
            return


def _hear_check(logged: Logged, event: events.CheckResult) -> None:
    if event.status == "error":
        logged.crashes[event.check_id] = event.message
    elif event.status == "skip":
        logged.left_out[event.check_id] = event.message
    elif event.status == events.READY:
        logged.ready.add(event.check_id)


def _hear_fact(logged: Logged, plain: dict[str, Any]) -> None:
    try:
        record = wire.convert(plain, Unseen)
    except msgspec.ValidationError:
        return
    logged.lost.append(f"{record.tap}: {record.reason}")


def report_of(path: Path, subject: Subject, ended: str, timing: Timing, *, shows_source: bool = True) -> Report:
    """Lines of the program are shown where it was run just now; not where a log is all that is known."""
    logged = read(path)
    crashes = judge((check_crashed.CHECK,), [CheckCrash(check=n, error=e) for n, e in logged.crashes.items()], True)
    findings = (*logged.findings, *crashes.findings)
    made = report(
        subject,
        Judgement(findings, tuple(_outcomes(logged))),
        Coverage(steps=logged.steps, seconds=timing.seconds, ended=ended, limits=tuple(dict.fromkeys(logged.lost))),
        timing,
        None if logged.steps or logged.findings else _why_unjudged(logged),
    )
    return msgspec.structs.replace(
        made, environment={**machine(), **logged.torch}, excerpts=excerpts(findings, Path.cwd()) if shows_source else ()
    )


def _why_unjudged(logged: Logged) -> str:
    if logged.fault is not None:
        return f"the guard could not be attached: {logged.fault}"
    return "no step of a torch optimizer was seen"


def _outcomes(logged: Logged) -> Iterator[CheckOutcome]:
    found = {witness.id for finding in logged.findings for witness in finding.witnesses}
    found |= {finding.id for finding in logged.findings}
    found = {successor(word) for word in found}
    for check in CATALOGUE:
        if check.needs not in LIVE:
            continue
        crashed = logged.crashes.get(check.name)
        status = Status.ILL if check.id in found else Status.CLEAN if check.name in logged.ready else Status.SKIPPED
        yield CheckOutcome(
            id=check.id,
            name=check.name,
            status=Status.CRASHED if crashed else status,
            seconds=0.0,
            reason=crashed or (_unasked(check, logged) if status is Status.SKIPPED else None),
        )


def _unasked(check: Check, logged: Logged) -> str:
    if not logged.steps:
        return _why_unjudged(logged)
    if check.name in logged.left_out:
        return logged.left_out[check.name]
    least = getattr(check.limits, "steps", 0)
    if least > logged.steps:
        return f"the run is shorter than the {least} steps it takes"
    return SOURCES[check.needs].absent


def in_words(code: int) -> str:
    """How a program ended."""
    signals = 128
    if code > signals:
        return f"the program was ended by signal {code - signals}"
    return "the program finished" if code == 0 else f"the program ended with exit code {code}"
