"""The tape as rows of text: for the terminal and for the page."""

import math
from collections.abc import Callable, Iterator, Sequence

from firstlight.flows.values import examples_lost
from firstlight.records.taped import TapeRow, TapeSeen

HEAD = ("row", "line", "operation", "shape", "differ", "size", "", "from")
LEGEND = (
    "`differ` is how many examples of the batch still differ from one another, `size` the root mean square of the "
    "values; `>` marks where trained tensors enter, `=` what is compared with the targets, `!` where all examples "
    "become equal."
)
MOST_SOURCES = 4


def title(parts: Sequence[TapeSeen]) -> str:
    tape, count = parts[-1], sum(len(part.rows) for part in parts)
    return f"step {tape.step}, backward at {tape.site or 'an unknown line'}: {count} operations, {tape.batch} examples"


def cells(
    parts: Sequence[TapeSeen], wanted: Callable[[str, str], bool] = lambda _place, _operation: True
) -> Iterator[tuple[str, ...]]:
    """One for each row whose place and operation are `wanted`, in the order of `HEAD`."""
    tape = parts[-1]
    rows = {row.number: row for part in parts for row in part.rows}
    lost = examples_lost(rows, tape.predictions, tape.fed)
    bad = None if lost is None else lost.first_bad.number
    for row in rows.values():
        place = "" if row.file is None or row.file >= len(tape.files) else f"{tape.files[row.file]}:{row.line}"
        if wanted(place, row.operation):
            sign = "!" if row.number == bad else "=" if row.number in tape.predictions else ">" if row.entry else ""
            yield (str(row.number), place, row.operation, *_measured(row, tape.batch), sign, _sources(row))


def _measured(row: TapeRow, batch: int) -> tuple[str, str, str]:
    shape = " × ".join(map(str, row.shape)) or "scalar"
    size = "not finite" if not math.isfinite(row.size) else f"{row.size:.3g}"
    return shape, "" if row.examples is None else f"{row.examples}/{batch}", size


def _sources(row: TapeRow) -> str:
    shown = ", ".join(map(str, row.made_from[:MOST_SOURCES]))
    return f"{shown}, …" if len(row.made_from) > MOST_SOURCES else shown
