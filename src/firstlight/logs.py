"""Composition root for event logs: reads one, judges it, and reports."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from firstlight.assembly import machine
from firstlight.checks.declare import Check
from firstlight.facts.sources import READ_FROM_LOG
from firstlight.findings.gather import order
from firstlight.findings.judge import judge
from firstlight.observe.log.scan import scan
from firstlight.records.finding import Finding, Severity
from firstlight.records.log import LogSeen
from firstlight.records.report import REPORT_SCHEMA, Coverage, Report, Subject, Timing, Verdict
from firstlight.store.log_rules import fitting, rules
from firstlight.store.run_directory import shown


def validate(path: Path, required: str | None, checks: Sequence[Check]) -> Report:
    """`required` is a built-in set of rules or a file of them; None takes those that fit the log."""
    begun, started = time.monotonic(), datetime.now(UTC)
    wanted = None if required is None else rules(required)
    log = scan(path, shown(path), lambda start: wanted or fitting(start))
    judged = judge([check for check in checks if check.needs in READ_FROM_LOG], [log], trained=True)
    seconds = time.monotonic() - begun
    findings = order(judged.findings, frozenset())
    return Report(
        schema=REPORT_SCHEMA,
        subject=Subject(kind="event-log", command=("log", "validate", str(path)), file=log.file),
        verdict=_verdict(findings, log),
        findings=findings,
        diagnosis=(),
        checks=judged.outcomes,
        coverage=Coverage(seconds=round(seconds, 3), ended=_told(log), limits=(_LIMIT,)),
        timing=Timing(started=started.isoformat(timespec="seconds").replace("+00:00", "Z"), seconds=round(seconds, 3)),
        environment=machine(),
        reason=None if log.events or log.faults else "the log holds no event",
    )


_LIMIT = "the log was read, not the run: whether the numbers in it are right is not judged"


def _verdict(findings: tuple[Finding, ...], log: LogSeen) -> Verdict:
    if not log.events and not log.faults:
        return Verdict.UNJUDGED
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        return Verdict.ILL
    return Verdict.WARN if Severity.WARNING in severities else Verdict.CLEAN


def _told(log: LogSeen) -> str:
    kinds = len(log.events)
    return f"{log.lines:,} lines, {log.bytes:,} bytes, {kinds} kinds of events, read by the rules `{log.rules}`"
