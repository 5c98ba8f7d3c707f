"""`# firstlight: ignore[loss-broadcast] reason`, on the line of a finding or alone on the line above it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from firstlight.checks.retired import successor
from firstlight.errors import UnreadableError
from firstlight.records.finding import Finding
from firstlight.store import plain_files

MOST_BYTES = 4_000_000
"""Of a source."""
COMMENT = re.compile(r"#\s*firstlight:\s*ignore\[([^\]]*)\]\s*(.*)")


@dataclass(frozen=True, slots=True)
class Allowance:
    names: tuple[str, ...]
    reason: str

    def covers(self, finding: Finding) -> bool:
        return bool({finding.id.lower(), finding.name, finding.cause} & set(self.names))


def suppress(findings: tuple[Finding, ...], base: Path) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Findings that stand, and a line for each that was allowed. File names are relative to `base`."""
    kept: list[Finding] = []
    allowed: list[str] = []
    for finding in findings:
        allowance = allowance_at(base, finding.where.file, finding.where.line)
        if allowance is None or not allowance.covers(finding):
            kept.append(finding)
            continue
        reason = f": {allowance.reason}" if allowance.reason else ""
        allowed.append(f"{finding.id} {finding.name} at {finding.where.file}:{finding.where.line}{reason}")
    return tuple(kept), tuple(allowed)


def allowance_at(base: Path, file: str | None, line: int | None) -> Allowance | None:
    if file is None or line is None:
        return None
    try:
        text = plain_files.contents(base / file, MOST_BYTES, follow=True).decode("utf-8", "replace")
    except UnreadableError:
        return None
    return allowance_in(text.splitlines(), line)


def allowance_in(lines: Sequence[str], line: int | None) -> Allowance | None:
    if line is None:
        return None
    own = lines[line - 1] if 0 < line <= len(lines) else ""
    above = lines[line - 2] if 1 < line <= len(lines) + 1 and lines[line - 2].lstrip().startswith("#") else ""
    match = COMMENT.search(own) or COMMENT.search(above)
    if match is None:
        return None
    names = tuple(successor(name.strip()).lower() for name in match[1].split(",") if name.strip())
    return Allowance(names=names, reason=match[2].strip())
