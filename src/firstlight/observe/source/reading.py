"""Bytes on disk to a syntax tree, or to the reason why not. Never raises for what a file contains."""

import ast
import io
import tokenize
import warnings
from dataclasses import dataclass, field

from firstlight.observe.source.notebook import cells_of
from firstlight.records.source import Problem

LARGEST_BYTES = 4_000_000
"""Larger files are data or generated; parsing one takes seconds and gigabytes."""


@dataclass(frozen=True, slots=True)
class Parsed:
    text: str = ""
    tree: ast.Module | None = None
    problem: Problem | None = None
    cell_starts: tuple[int, ...] = field(default=())
    """Of a notebook: the line before each cell's first."""


def read(data: bytes, notebook: bool = False) -> Parsed:
    if len(data) > LARGEST_BYTES:
        return _unread(1, f"{len(data) / 1e6:.0f} MB is more than the {LARGEST_BYTES / 1e6:.0f} MB that are read")
    if notebook:
        cells = cells_of(data)
        if isinstance(cells, Problem):
            return Parsed(problem=cells)
        return _parsed(cells.text, cells.starts)
    if b"\0" in data:
        return _unread(1, "it holds null bytes, so it is no Python source")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return _unread(1, f"its encoding cannot be read: {error}")
    return _parsed(text.removeprefix("\ufeff"))


def _parsed(text: str, starts: tuple[int, ...] = ()) -> Parsed:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except SyntaxError as error:
        return Parsed(text=text, problem=Problem(line=error.lineno or 1, what=f"{error.msg}"), cell_starts=starts)
    except ValueError as error:
        return Parsed(text=text, problem=Problem(line=1, what=str(error)), cell_starts=starts)
    except (RecursionError, MemoryError):
        return Parsed(text=text, problem=Problem(line=1, what="it is nested too deeply to be read"), cell_starts=starts)
    return Parsed(text=text, tree=tree, cell_starts=starts)


def _unread(line: int, what: str) -> Parsed:
    return Parsed(problem=Problem(line=line, what=what))
