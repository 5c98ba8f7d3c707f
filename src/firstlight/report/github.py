"""Workflow commands of GitHub Actions: a line for each finding, shown beside the code."""

from firstlight.records.finding import Finding, Severity
from firstlight.records.printable import printable_record
from firstlight.records.report import Report, Verdict

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: Report) -> str:
    report = printable_record(report)
    lines = [_command(finding) for finding in report.findings]
    if report.verdict is Verdict.UNJUDGED:
        lines.append(f"::error title=firstlight::{_data(f'could not judge: {report.reason}')}")
    return "".join(f"{line}\n" for line in lines)


def _command(finding: Finding) -> str:
    where = finding.where
    places = [f"file={_property(where.file)}", f"line={where.line or 1}"] if where.file else []
    title = f"title={_property(f'{finding.id} {finding.name}')}"
    text = f"{finding.summary}: {finding.saw}; wanted {finding.wanted}. {finding.likely}. {finding.do}"
    return f"::{COMMANDS[finding.severity]} {','.join([*places, title])}::{_data(text)}"


def _data(text: str) -> str:
    """`##[` would be taken for a command of the older kind, wherever in a line it stands."""
    return text.replace("%", "%25").replace("##[", "##%5B").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
