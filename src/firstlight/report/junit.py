"""JUnit XML, for services that show test results: one case for each check, failed where it found something.

A verdict that could not be reached is a case too, and it is an error: a report full of skipped cases would look green.
"""

import re
from xml.etree import ElementTree

from firstlight.records.finding import Finding, Severity
from firstlight.records.printable import printable
from firstlight.records.report import CheckOutcome, Report, Status, Verdict

UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters XML has no way to write."""
KINDS = ("failure", "error", "skipped")


def render(report: Report, strict: bool = False) -> str:
    fatal = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    suite = ElementTree.Element("testsuite", name="firstlight", timestamp=report.timing.started.removesuffix("Z"))
    for outcome in report.checks:
        _case(suite, outcome, [finding for finding in report.findings if finding.id == outcome.id], fatal)
    if report.verdict is Verdict.UNJUDGED:
        case = ElementTree.SubElement(suite, "testcase", classname="firstlight", name="verdict", time="0.000")
        error = ElementTree.SubElement(case, "error", message=_clean(report.reason or ""), type="unjudged")
        error.text = _clean("\n".join(report.output_tail))
    seconds = f"{report.timing.seconds:.3f}"
    counts = {f"{kind}s" if kind != "skipped" else kind: str(len(suite.findall(f"*/{kind}"))) for kind in KINDS}
    suite.attrib.update({"tests": str(len(suite)), **counts, "time": seconds})
    whole = ElementTree.Element(
        "testsuites", {"name": "firstlight", "tests": str(len(suite)), **counts, "time": seconds}
    )
    whole.append(suite)
    ElementTree.indent(whole)
    return ElementTree.tostring(whole, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, outcome: CheckOutcome, found: list[Finding], fatal: set[Severity]) -> None:
    called = _clean(f"{outcome.id} {outcome.name}")
    name = {"classname": "firstlight", "name": called, "time": f"{outcome.seconds:.3f}"}
    case = ElementTree.SubElement(suite, "testcase", {**name, **_place(found)})
    told = _clean("\n".join(_line(finding) for finding in found))
    if any(finding.severity in fatal for finding in found):
        ElementTree.SubElement(case, "failure", message=_clean(found[0].summary), type=found[0].cause).text = told
    elif outcome.status is Status.CRASHED:
        ElementTree.SubElement(case, "error", message=_clean(outcome.reason or ""), type="crashed")
    elif outcome.status is Status.SKIPPED:
        ElementTree.SubElement(case, "skipped", message=_clean(outcome.reason or ""))
    elif found:
        ElementTree.SubElement(case, "system-out").text = told


def _place(found: list[Finding]) -> dict[str, str]:
    """As services read it to link to the line."""
    where = found[0].where if found else None
    return {"file": _clean(where.file), "line": str(where.line or 1)} if where and where.file else {}


def _line(finding: Finding) -> str:
    where = finding.where
    place = f"{where.place}: " if where.file else ""
    told = f"{finding.saw}; wanted {finding.wanted}. {finding.likely}. {finding.do}"
    return f"{place}{finding.severity.value}[{finding.id}] {finding.name}: {told}"


def _clean(text: str) -> str:
    return UNWRITABLE.sub("?", printable(text))
