"""The one place where findings become a verdict, and a verdict an exit code."""

from collections.abc import Iterable

from firstlight.records.finding import Finding, Severity
from firstlight.records.report import Report, Verdict

UNKNOWN = "unknown"


def verdict_of(findings: Iterable[Finding], unjudged: str | None = None) -> Verdict:
    """`unjudged` says why a judgement has no ground to stand on.

    An error that names its cause stands all the same. A warning does not, and neither does finding nothing.
    """
    found = tuple(findings)
    if unjudged is not None and not any(one.severity is Severity.ERROR and one.cause != UNKNOWN for one in found):
        return Verdict.UNJUDGED
    severities = {finding.severity for finding in found}
    if Severity.ERROR in severities:
        return Verdict.ILL
    return Verdict.WARN if Severity.WARNING in severities else Verdict.CLEAN


def exit_code(report: Report, strict: bool) -> int:
    """0 judged clean, 1 judged ill, 2 could not judge, 3 a fault of our own."""
    if report.coverage.fault is not None:
        return 3
    if report.verdict is Verdict.UNJUDGED:
        return 2
    return int(report.verdict is Verdict.ILL or (strict and report.verdict is Verdict.WARN))
