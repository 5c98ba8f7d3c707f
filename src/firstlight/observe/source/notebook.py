"""A notebook as one Python text: its code cells in a row, what is not Python turned into comments."""

import ast
import json
import re
import warnings
from dataclasses import dataclass
from typing import Any

from firstlight.records.source import Problem

MAGIC = re.compile(r"^\s*[%!?]|^\s*\S+\s*\?{1,2}\s*$")
ASSIGNED_MAGIC = re.compile(r"^(\s*[\w, ]+=\s*)[%!].*$")


@dataclass(frozen=True, slots=True)
class Cells:
    text: str
    starts: tuple[int, ...]


def cells_of(data: bytes) -> Cells | Problem:
    try:
        notebook: Any = json.loads(data.decode("utf-8"))
        cells = notebook["cells"] if "cells" in notebook else notebook["worksheets"][0]["cells"]
        sources = [_source(cell) for cell in cells]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        return Problem(line=1, what=f"it is no notebook that can be read: {type(error).__name__}: {error}"[:200])
    lines: list[str] = []
    starts: list[int] = []
    for source in sources:
        starts.append(len(lines))
        lines += _python(source)
    return Cells("\n".join(lines) + "\n", tuple(starts))


def _source(cell: dict[str, Any]) -> str:
    """Empty for a cell that holds no code, so that cells keep their numbers."""
    if cell["cell_type"] != "code":
        return ""
    source = cell.get("source", cell.get("input", ""))
    return "".join(source) if isinstance(source, list) else str(source)


def _python(source: str) -> list[str]:
    lines = source.splitlines()
    if lines and lines[0].startswith("%%") and not lines[0].startswith(("%%time", "%%capture", "%%timeit")):
        return [f"# {line}" for line in lines]
    kept = [_line(line) for line in lines]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(kept))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [f"# {line}" for line in lines]
    return kept


def _line(line: str) -> str:
    if MAGIC.match(line) and not line.lstrip().startswith("#"):
        indent = line[: len(line) - len(line.lstrip())]
        return f"{indent}pass  # {line.lstrip()}"
    return ASSIGNED_MAGIC.sub(r"\1None", line)


def cell_and_line(starts: tuple[int, ...], line: int) -> tuple[int, int]:
    """Both counted from 1."""
    index = max((i for i, start in enumerate(starts) if start < line), default=0)
    return index + 1, line - (starts[index] if starts else 0)
