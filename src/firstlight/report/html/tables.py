"""Tables that were judged, column by column, each with a small picture of its values."""

from firstlight.records.report import Report
from firstlight.records.tables import ColumnSeen, TableSeen
from firstlight.report.html.markup import Markup, tag
from firstlight.report.html.parts import plural, section, table

MOST_COLUMNS = 200
"""Of one table; the report as JSON has all of them."""
MOST_VALUES = 12
WIDTH, HEIGHT = 120, 28
HEAD = ("column", "kind", "role", "missing", "different", "range", "values")


def tables(report: Report) -> Markup | None:
    if not report.tables:
        return None
    return section(
        "tables",
        "Data",
        *(_table(seen) for seen in report.tables),
        note="Counts are of all rows; pictures are of a sample, from the lowest value to the highest.",
    )


def _table(seen: TableSeen) -> Markup:
    size = f"{plural(seen.rows, 'row')}, {plural(len(seen.columns), 'column')}"
    left = len(seen.columns) - MOST_COLUMNS
    rows = [_row(column, seen.rows) for column in seen.columns[:MOST_COLUMNS]]
    return tag(
        "div",
        tag("h3", f"{seen.split}: {seen.file}", tag("span", f" {size}", class_="faint")),
        table(HEAD, rows, f"columns of {seen.file}"),
        tag("p", f"{plural(left, 'more column')} in the report as JSON.", class_="faint") if left > 0 else None,
    )


def _row(column: ColumnSeen, rows: int) -> list[object]:
    missing = f"{column.missing / max(1, rows):.1%}" if column.missing else "none"
    reach = f"{_number(column.low)} … {_number(column.high)}" if column.low is not None else ""
    return [
        tag("code", column.name),
        column.kind,
        column.role,
        missing,
        f"{column.distinct:,}",
        reach,
        _picture(column),
    ]


def _number(value: float | str | None) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _picture(column: ColumnSeen) -> Markup | None:
    """Bars of a distribution; of a few values, one for each, by how often it occurs."""
    named = column.kind in ("text", "flag") and column.counts
    counts = tuple(column.counts.values())[:MOST_VALUES] if named else column.bars
    if not counts or not max(counts):
        return None
    width = WIDTH / len(counts)
    bars = [
        tag(
            "rect",
            x=f"{place * width:.1f}",
            y=f"{HEIGHT - high:.1f}",
            width=f"{0.85 * width:.1f}",
            height=f"{high:.1f}",
        )
        for place, high in enumerate(HEIGHT * count / max(counts) for count in counts)
    ]
    told = ", ".join(f"{value} {count}" for value, count in list(column.counts.items())[:MOST_VALUES])
    label = f"{column.name}: {told}" if named else f"{column.name}: rows in {len(counts)} parts of its range"
    return tag(
        "svg",
        bars,
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        fill="currentColor",
        role="img",
        aria_label=label,
    )
