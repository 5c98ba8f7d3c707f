"""Applies the edits of findings to the text of a file: all that do not overlap, and only if the result still parses."""

import ast
import difflib
from bisect import bisect, insort
from collections.abc import Iterable
from dataclasses import dataclass

from firstlight.records.finding import Edit, Finding


@dataclass(frozen=True, slots=True)
class Repaired:
    data: bytes
    fixed: tuple[Finding, ...]


def repaired(data: bytes, findings: Iterable[Finding]) -> Repaired:
    """Bytes in, bytes out: line ends and encoding stay as they are."""
    lines = data.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    taken: list[tuple[int, int]] = []  # in order, none over another
    changes: list[tuple[int, int, bytes]] = []
    fixed: list[Finding] = []
    for finding in findings:
        spans = [_span(edit, starts) for edit in finding.edits]
        known = [span for span in spans if span is not None]
        if not spans or len(known) != len(spans) or any(_overlaps(span, taken) for span in known):
            continue
        for span in known:
            insort(taken, span)
        changes += [(*span, edit.text.encode()) for span, edit in zip(known, finding.edits, strict=True)]
        fixed.append(finding)
    changed = _changed(data, sorted(changes))
    return Repaired(changed, tuple(fixed)) if _parses(changed) else Repaired(data, ())


def _span(edit: Edit, starts: list[int]) -> tuple[int, int] | None:
    if not 0 < edit.line <= edit.end_line < len(starts):
        return None
    return starts[edit.line - 1] + edit.column, starts[edit.end_line - 1] + edit.end_column


def _changed(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    pieces, done = [], 0
    for start, end, text in changes:
        pieces += [data[done:start], text]
        done = end
    return b"".join([*pieces, data[done:]])


def _overlaps(span: tuple[int, int], taken: list[tuple[int, int]]) -> bool:
    """Those beside its place in the order are the only ones it can touch."""
    place = bisect(taken, span)
    beside = taken[max(0, place - 1) : place + 1]
    return any(span == other or (span[0] < other[1] and other[0] < span[1]) for other in beside)


def _parses(data: bytes) -> bool:
    try:
        ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def difference(before: bytes, after: bytes, name: str) -> str:
    one, other = (data.decode("utf-8", "replace").splitlines(keepends=True) for data in (before, after))
    lines = difflib.unified_diff(one, other, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
