"""A few lines around each place a finding names, read while they are still what was judged."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from firstlight.errors import UnreadableError
from firstlight.observe.source.files import SUFFIXES
from firstlight.observe.source.notebook import cell_and_line
from firstlight.observe.source.reading import LARGEST_BYTES, read
from firstlight.records.finding import Finding
from firstlight.records.report import Excerpt
from firstlight.store import plain_files

AROUND = 4
MOST = 60
LONGEST_LINE = 240
PLACE = re.compile(r"([\w./\\-]{1,400}\.py):(\d{1,9})")
"""As messages name a further line: "the output of `softmax` at model.py:18"."""
Place = tuple[str, int, int | None]


def excerpts(findings: Iterable[Finding], base: Path, program: Iterable[Path] = ()) -> tuple[Excerpt, ...]:
    """File names are relative to `base`. Only sources below it, or at or below `program`, are read."""
    own = [(base / path).resolve() for path in (Path(), *program)]
    found: list[Excerpt] = []
    texts: dict[str, bytes] = {}
    split: dict[tuple[str, int | None], list[str]] = {}
    for file, line, cell in dict.fromkeys(place for finding in findings for place in _places(finding)):
        if len(found) >= MOST:
            break
        if any(_covers(known, file, line, cell) for known in found):
            continue
        if file not in texts:
            texts[file] = _data(base / file, own)
        if (file, cell) not in split:
            split[file, cell] = _lines(texts[file], cell)
        lines = split[file, cell]
        if 0 < line <= len(lines):
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


def _data(path: Path, own: list[Path]) -> bytes:
    """Empty where it cannot be read, or is none of the program's own."""
    try:
        place = path.resolve()
        outside = place.suffix not in SUFFIXES or not any(place.is_relative_to(root) for root in own)
        return b"" if outside else plain_files.contents(place, LARGEST_BYTES)
    except (UnreadableError, OSError, ValueError, RuntimeError):  # a loop of links, a name with a null byte
        return b""


def _lines(data: bytes, cell: int | None) -> list[str]:
    if cell is None:
        return data.decode("utf-8", "replace").splitlines()
    parsed = read(data, notebook=True)
    lines = parsed.text.splitlines()
    return [text for number, text in enumerate(lines, 1) if cell_and_line(parsed.cell_starts, number)[0] == cell]
