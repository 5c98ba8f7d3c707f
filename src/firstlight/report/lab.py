"""The answer of a verb of the lab: for a person at a terminal, as JSON, and as a page with its plots."""

import os
import textwrap
from collections.abc import Callable, Iterator

import msgspec

from firstlight.errors import UsageError
from firstlight.records import wire
from firstlight.records.finding import Scalar
from firstlight.records.lab import LabReport, LabTable
from firstlight.records.printable import escaped_in_json, inert, printable_record
from firstlight.report.screen import screen_width
from firstlight.report.terminal import Paint
from firstlight.store import plain_files
from firstlight.store.run_directory import RunDirectory

ANSWER, PAGE = "lab.json", "lab.html"
"""In the run directory."""
MOST_BYTES = 256 << 20
MOST_ROWS = 24
"""Of one table, on a screen; JSON and the page have all of them."""
WIDEST_CELL = 46


def terminal(report: LabReport, colour: bool) -> str:
    """The answer first, then what it rests on."""
    report, paint, columns = printable_record(report), Paint(colour), screen_width()
    lines = [paint("bold", line) for line in textwrap.wrap(report.answer, columns)]
    for text in report.advice:
        lines += textwrap.wrap(text, columns, initial_indent="  → ", subsequent_indent="    ")
    for table in report.tables:
        lines += ["", *_table(table, paint)]
    lines += ["", *_foot(report, columns)]
    return inert("\n".join(lines) + "\n")


def json(report: LabReport, colour: bool = False) -> str:
    return escaped_in_json(msgspec.json.format(wire.encode(report), indent=1).decode()) + "\n"


def page(report: LabReport, colour: bool = False) -> str:
    from firstlight.report.html import lab

    return lab.render(report)


def is_of_lab(run: RunDirectory) -> bool:
    return os.path.lexists(run.path / ANSWER)


def of_run(run: RunDirectory) -> LabReport:
    try:
        return wire.decode(plain_files.contents(run.path / ANSWER, MOST_BYTES), LabReport)
    except msgspec.MsgspecError as error:
        raise UsageError(f"{run.path / ANSWER} is not an answer that this version understands: {error}.") from None


RENDERERS: dict[str, Callable[[LabReport, bool], str]] = {"terminal": terminal, "json": json, "html": page}


def cell(value: Scalar) -> str:
    """A value as a reader takes it in: four digits, and nothing where there is nothing."""
    if value is None:
        return ""
    return f"{value + 0.0:.4g}" if isinstance(value, float) else str(value)  # minus zero is zero


def _table(table: LabTable, paint: Paint) -> Iterator[str]:
    rows = [[textwrap.shorten(cell(value), WIDEST_CELL, placeholder=" …") for value in row] for row in table.rows]
    shown = rows[:MOST_ROWS]
    widths = [max(map(len, column)) for column in zip(table.head, *shown, strict=True)]
    numeric = [all(isinstance(row[place], float | int | None) for row in table.rows) for place in range(len(widths))]
    if table.title:
        yield paint("bold", table.title)
    yield paint("dim", _line(list(table.head), widths, numeric))
    yield from (_line(row, widths, numeric) for row in shown)
    if len(rows) > MOST_ROWS:
        yield f"  … and {len(rows) - MOST_ROWS} more rows: `--format json` has them"


def _line(cells: list[str], widths: list[int], numeric: list[bool]) -> str:
    aligned = [
        f"{text:>{width}}" if right else f"{text:{width}}"
        for text, width, right in zip(cells, widths, numeric, strict=True)
    ]
    return ("  " + "  ".join(aligned)).rstrip()


def _foot(report: LabReport, columns: int) -> Iterator[str]:
    left = f", {report.left} left: the same command continues from there" if report.left else ""
    trials = f"{report.done} trial{'' if report.done == 1 else 's'}{left}; " if report.done or report.left else ""
    yield f"{trials}{report.seconds:.1f} s"
    for limit in report.limits:
        yield from textwrap.wrap(f"limits: {limit}", columns, subsequent_indent="        ")
    if report.run:
        yield f"kept in: {report.run} (page: {report.run}/lab.html)"
