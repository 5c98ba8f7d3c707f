"""A few lines around each place a finding names, read while they are still what was judged."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from firstlight.observe.source.notebook import cell_and_line
from firstlight.observe.source.reading import LARGEST_BYTES, read
from firstlight.records.finding import Finding
from firstlight.records.report import Excerpt

AROUND = 4
MOST = 60
LONGEST_LINE = 240
PLACE = re.compile(r"([\w./\\-]+\.py):(\d+)")
"""As messages name a further line: "the output of `softmax` at model.py:18"."""
Place = tuple[str, int, int | None]


def excerpts(findings: Iterable[Finding], base: Path) -> tuple[Excerpt, ...]:
    """File names are relative to `base`. Places that cannot be read have none."""
    found: list[Excerpt] = []
    texts: dict[str, list[str] | None] = {}
    for file, line, cell in dict.fromkeys(place for finding in findings for place in _places(finding)):
        if any(_covers(known, file, line, cell) for known in found):
            continue
        if file not in texts:
            texts[file] = _lines(base / file)
        lines = texts[file] if cell is None else _of_cell(base / file, cell)
        if lines is not None and 0 < line <= len(lines) and len(found) < MOST:
            first = max(1, line - AROUND)
            shown = tuple(text[:LONGEST_LINE] for text in lines[first - 1 : line + AROUND])
            found.append(Excerpt(file=file, first=first, lines=shown, cell=cell))
    return tuple(found)


def _places(finding: Finding) -> Iterator[Place]:
    where = finding.where
    if where.file is not None and where.line is not None:
        yield where.file, where.line, where.cell
    for text in (finding.saw, finding.do):
        yield from ((file, int(line), None) for file, line in PLACE.findall(text))


def _covers(known: Excerpt, file: str, line: int, cell: int | None) -> bool:
    return (
        (known.file, known.cell) == (file, cell)
        and known.first <= line - 1
        and line + 1 < known.first + len(known.lines)
    )


def _lines(path: Path) -> list[str] | None:
    try:
        if path.stat().st_size > LARGEST_BYTES:
            return None
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None


def _of_cell(path: Path, cell: int) -> list[str] | None:
    try:
        parsed = read(path.read_bytes(), notebook=True)
    except OSError:
        return None
    lines = parsed.text.splitlines()
    return [text for number, text in enumerate(lines, 1) if cell_and_line(parsed.cell_starts, number)[0] == cell]
