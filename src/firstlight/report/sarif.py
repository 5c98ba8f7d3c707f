"""SARIF 2.1.0, for code-scanning services. Only the parts of the standard that findings need."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from firstlight import __version__
from firstlight.checks.declare import Check
from firstlight.records.finding import Finding, Severity
from firstlight.records.report import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def render(report: Report, checks: Iterable[Check]) -> str:
    """Files are relative to the root of the checkout, which is what such services match on."""
    by_id = {check.id: check for check in checks}
    used = sorted({finding.id for finding in report.findings})
    run = {
        "tool": {
            "driver": {
                "name": "firstlight",
                "semanticVersion": __version__,
                "rules": [_rule(check_id, by_id.get(check_id), report.findings) for check_id in used],
            }
        },
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "the folder the command was started in"}}},
        "columnKind": "utf16CodeUnits",
        "invocations": [{"executionSuccessful": report.verdict.value != "unjudged"}],
        "results": [_result(finding, used) for finding in report.findings],
    }
    return msgspec.json.format(
        msgspec.json.encode({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}), indent=1
    ).decode()


def _rule(check_id: str, check: Check | None, findings: Sequence[Finding]) -> dict[str, Any]:
    first = next(finding for finding in findings if finding.id == check_id)
    return {
        "id": check_id,
        "name": first.name,
        "shortDescription": {"text": first.summary},
        "help": {"text": f"{check.fix if check else first.do}. `firstlight explain {check_id}` tells more."},
        "properties": {"tags": [first.cause, first.category]},
    }


def _result(finding: Finding, used: list[str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.id,
        "ruleIndex": used.index(finding.id),
        "level": LEVELS[finding.severity],
        "message": {"text": f"{finding.summary}: {finding.saw}; wanted {finding.wanted}. {finding.do}"},
        "partialFingerprints": {"firstlight/v1": str(finding.evidence.get("fingerprint", ""))},
        "rank": round(finding.confidence * 100, 1),
    }
    where = finding.where
    if where.file is not None:
        # Columns of ours count bytes; the line alone is exact for every reader.
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": where.file, "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": max(where.line or 1, 1)},
                }
            }
        ]
    return result
