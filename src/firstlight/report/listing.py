"""Findings in sources, for a person at a terminal: the line first, then what to do, then how much was read."""

import textwrap
from collections import Counter

from firstlight.records.finding import Finding, Severity
from firstlight.records.places import Where
from firstlight.records.printable import printable_record
from firstlight.records.report import Report
from firstlight.report.screen import COLOURS, screen_width

LABEL = 8


def render(report: Report, colour: bool, statistics: bool = False, brief: bool = False) -> str:
    report = printable_record(report)
    columns = screen_width()
    blocks = [_head(f, colour) if brief else _block(f, colour, columns) for f in report.findings]
    if statistics:
        blocks = [_statistics(report)] if report.findings else []
    joint = "\n" if brief or statistics else "\n\n"
    limits = report.coverage.limits if report.subject.kind == "tables" and not brief else ()
    unsaid = [
        line for limit in limits for line in textwrap.wrap(f"unsaid  {limit}", columns, subsequent_indent=8 * " ")
    ]
    return joint.join([*blocks, "\n".join([_verdict(report, colour), *unsaid])]) + "\n"


def place(where: Where) -> str:
    if where.file is None:
        return where.module or "the whole run"
    return f"{where.place}: {where.module}" if where.module and where.line is None else where.place


def _painted(style: str, text: str, colour: bool) -> str:
    return f"\x1b[{COLOURS[style]}m{text}\x1b[0m" if colour else text


def _head(finding: Finding, colour: bool) -> str:
    name = _painted(finding.severity.value, f"{finding.severity.value}[{finding.id}] {finding.name}", colour)
    return f"{place(finding.where)}: {name}: {finding.summary}"


def _block(finding: Finding, colour: bool, columns: int) -> str:
    lines = [_head(finding, colour)]
    for label, text in (
        ("saw", finding.saw),
        ("wanted", finding.wanted),
        ("likely", finding.likely),
        ("do", finding.do),
    ):
        room = max(30, columns - LABEL - 2)
        first, *rest = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
        lines += [f"  {label:<{LABEL}}{first}", *(f"{'':{LABEL + 2}}{line}" for line in rest)]
    return "\n".join([*lines, f"  {'more':<{LABEL}}firstlight explain {finding.id}"])


def _statistics(report: Report) -> str:
    counted = Counter((finding.id, finding.name, finding.severity.value) for finding in report.findings)
    rows = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return "\n".join(f"{count:>6}  {number}  {severity:<7}  {name}" for (number, name, severity), count in rows)


def _verdict(report: Report, colour: bool) -> str:
    counts = [_count(report, severity) for severity in (Severity.ERROR, Severity.WARNING, Severity.NOTE)]
    told = report.reason or ", ".join(count for count in counts if count) or "nothing found"
    word = _painted(report.verdict.value, report.verdict.value, colour)
    allowed = f"; {len(report.coverage.suppressed)} allowed by comments" if report.coverage.suppressed else ""
    return f"{word}: {told}; {report.coverage.ended} in {report.timing.seconds:.1f} s{allowed}"


def _count(report: Report, severity: Severity) -> str:
    count = sum(finding.severity is severity for finding in report.findings)
    return f"{count} {severity.value}{'s' if count > 1 else ''}" if count else ""
