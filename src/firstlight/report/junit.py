"""JUnit XML, for services that show test results: one case for each check, failed where it found something."""

import re
from xml.etree import ElementTree

from firstlight.records.finding import Finding, Severity
from firstlight.records.report import CheckOutcome, Report, Status

UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters XML has no way to write."""


def render(report: Report, strict: bool = False) -> str:
    fatal = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    suite = ElementTree.Element("testsuite", name="firstlight")
    failures = skipped = 0
    for outcome in report.checks:
        found = [finding for finding in report.findings if finding.id == outcome.id]
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname="firstlight",
            name=f"{outcome.id} {outcome.name}",
            time=f"{outcome.seconds:.3f}",
        )
        failures += _fill(case, found, fatal)
        skipped += _skip(case, outcome)
    suite.set("tests", str(len(report.checks)))
    suite.set("failures", str(failures))
    suite.set("errors", "0")
    suite.set("skipped", str(skipped))
    suite.set("time", f"{report.timing.seconds:.3f}")
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


def _fill(case: ElementTree.Element, found: list[Finding], fatal: set[Severity]) -> int:
    told = "\n".join(_line(finding) for finding in found)
    if any(finding.severity in fatal for finding in found):
        failure = ElementTree.SubElement(case, "failure", message=_clean(found[0].summary), type=found[0].cause)
        failure.text = _clean(told)
        return 1
    if found:
        ElementTree.SubElement(case, "system-out").text = _clean(told)
    return 0


def _skip(case: ElementTree.Element, outcome: CheckOutcome) -> int:
    if outcome.status not in (Status.SKIPPED, Status.CRASHED):
        return 0
    ElementTree.SubElement(case, "skipped", message=_clean(outcome.reason or outcome.status.value))
    return 1


def _line(finding: Finding) -> str:
    where = finding.where
    place = f"{where.file}:{where.line}: " if where.file else ""
    return f"{place}{finding.severity.value}[{finding.id}] {finding.name}: {finding.saw}; wanted {finding.wanted}"


def _clean(text: str) -> str:
    return UNWRITABLE.sub("?", text)
