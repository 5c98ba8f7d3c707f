"""SARIF 2.1.0, for code-scanning services. Only the parts of the standard that findings need."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import msgspec

from firstlight import __version__
from firstlight.checks.catalogue import named
from firstlight.observe.source.excerpts import PLACE
from firstlight.records import wire
from firstlight.records.finding import Finding, Severity
from firstlight.records.printable import escaped_in_json
from firstlight.records.report import Report, Verdict

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render(report: Report) -> str:
    """Files are relative to the root of the checkout, which is what such services match on."""
    used = sorted({finding.id for finding in report.findings})
    run = {
        "tool": {
            "driver": {
                "name": "firstlight",
                "semanticVersion": __version__,
                "rules": [_rule(check_id, report.findings) for check_id in used],
            }
        },
        "automationDetails": {"id": f"firstlight/{report.subject.kind}/"},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the folder the command was started in"}}},
        "columnKind": "utf16CodeUnits",
        "invocations": [_invocation(report)],
        "results": [_result(finding, used, report) for finding in report.findings],
    }
    written = wire.encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})
    return escaped_in_json(msgspec.json.format(written, indent=1).decode()) + "\n"


def _invocation(report: Report) -> dict[str, Any]:
    if report.verdict is not Verdict.UNJUDGED:
        return {"executionSuccessful": True}
    message = {"text": f"could not judge: {report.reason or 'nothing was observed'}"}
    return {"executionSuccessful": False, "toolExecutionNotifications": [{"level": "error", "message": message}]}


def _rule(check_id: str, findings: Sequence[Finding]) -> dict[str, Any]:
    first = next(finding for finding in findings if finding.id == check_id)
    check = named(check_id)
    fix = first.do if check is None else check.fix
    return {
        "id": check_id,
        "name": first.name,
        "shortDescription": {"text": first.summary},
        "help": {"text": f"{fix}. `firstlight explain {check_id}` says more."},
        "properties": {"tags": list(dict.fromkeys((first.cause, first.category)))},
    }


def _result(finding: Finding, used: list[str], report: Report) -> dict[str, Any]:
    told = f"{finding.summary}: {finding.saw}; wanted {finding.wanted}. {finding.likely}. {finding.do}"
    result: dict[str, Any] = {
        "ruleId": finding.id,
        "ruleIndex": used.index(finding.id),
        "level": LEVELS[finding.severity],
        "message": {"text": told},
        "partialFingerprints": {"firstlight/v1": _fingerprint(finding, report)},
        "rank": round(finding.confidence * 100, 1),
    }
    where = finding.where
    if where.file is not None:
        result["locations"] = [_location(where.file, where.line)]
    related = [_location(file, line) for file, line in _further(finding)]
    if related:
        result["relatedLocations"] = [{"id": number, **location} for number, location in enumerate(related, 1)]
    return result


def _location(file: str, line: int | None) -> dict[str, Any]:
    """Columns of ours count bytes; the line alone is exact for every reader."""
    path = PurePath(file)
    if path.is_absolute():
        artifact = {"uri": path.as_uri()}
    else:
        artifact = {"uri": quote(path.as_posix(), errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(line or 1, 1)}}}


def _further(finding: Finding) -> Iterator[tuple[str, int]]:
    """Other lines that the message names."""
    own = (finding.where.file, finding.where.line)
    named = dict.fromkeys((file, int(line)) for file, line in PLACE.findall(f"{finding.saw} {finding.do}"))
    yield from (place for place in named if place != own)


def _fingerprint(finding: Finding, report: Report) -> str:
    """The same finding on the same text keeps it when lines move."""
    known = finding.evidence.get("fingerprint")
    where = finding.where
    texts = (
        excerpt.lines[where.line - excerpt.first]
        for excerpt in report.excerpts
        if where.line is not None
        and (excerpt.file, excerpt.cell) == (where.file, where.cell)
        and 0 <= where.line - excerpt.first < len(excerpt.lines)
    )
    parts = (finding.id, finding.cause, where.file or "", where.module or "", next(texts, "").strip())
    return str(known or hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest())
