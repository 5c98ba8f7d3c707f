"""Tables that were judged, column by column, each with a small picture of its values; labels that others contradict."""

from firstlight.records.report import Report
from firstlight.records.tables import ColumnSeen, Doubt, TableSeen, few
from firstlight.report.html.markup import Markup, tag
from firstlight.report.html.parts import plural, section, table

MOST_COLUMNS = 200
"""Of one table; the report as JSON has all of them."""
MOST_VALUES = 12
WIDTH, HEIGHT = 120, 28
HEAD = ("column", "kind", "role", "missing", "different", "range", "drift", "values")
DOUBTS = ("row", "label", "expected", "sureness", "example")


def tables(report: Report) -> Markup | None:
    if not report.tables:
        return None
    trained = {column.name: column for seen in report.tables if seen.split == "train" for column in seen.columns}
    return section(
        "tables",
        "Data",
        *(_table(seen, trained if seen.split != "train" else {}) for seen in report.tables),
        *(_doubts(seen) for seen in report.tables if seen.doubts),
        note="Counts are of all rows; histograms are of a sample, over the range of the training data. The faint bars "
        "behind those of another split are the training data; drift is the largest difference of the two, from 0 to 1.",
    )


def _table(seen: TableSeen, trained: dict[str, ColumnSeen]) -> Markup:
    size = f"{plural(seen.rows, 'row')}, {plural(len(seen.columns), 'column')}"
    left = len(seen.columns) - MOST_COLUMNS
    drifting = any(column.drift is not None for column in seen.columns)
    rows = [_row(column, seen.rows, trained.get(column.name), drifting) for column in seen.columns[:MOST_COLUMNS]]
    head = HEAD if drifting else tuple(title for title in HEAD if title != "drift")
    return tag(
        "div",
        tag("h3", f"{seen.split}: {seen.file}", tag("span", f" {size}", class_="faint")),
        table(head, rows, f"columns of {seen.file}"),
        tag("p", f"{plural(left, 'more column')} in the report as JSON.", class_="faint") if left > 0 else None,
    )


def _row(column: ColumnSeen, rows: int, trained: ColumnSeen | None, drifting: bool) -> list[object]:
    missing = f"{column.missing / max(1, rows):.1%}" if column.missing else "none"
    values = few(tuple(_values(column, trained)), 3)
    reach = f"{_number(column.low)} … {_number(column.high)}" if column.low is not None else values
    drift = ["" if column.drift is None else f"{column.drift:.2f}"] if drifting else []
    return [
        tag("code", column.name),
        column.kind,
        column.role,
        missing,
        f"{column.distinct:,}",
        reach,
        *drift,
        _picture(column, trained),
    ]


def _number(value: float | str | None) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _values(column: ColumnSeen, trained: ColumnSeen | None) -> list[str]:
    """The few of a column that has no more, commonest first; in the order of the training data."""
    if column.kind not in ("text", "flag") or not column.counts:
        return []
    known = trained.counts if trained is not None and trained.kind == column.kind else {}
    return list(dict.fromkeys([*known, *column.counts]))[:MOST_VALUES]


def _picture(column: ColumnSeen, trained: ColumnSeen | None) -> Markup | None:
    """Bars of a distribution; of a few values, one for each, by how often it occurs."""
    names = _values(column, trained)
    named = bool(names)
    before = trained if trained is not None and trained.kind == column.kind else None
    counts = tuple(column.counts.get(name, 0) for name in names) if named else column.bars
    behind = () if before is None else tuple(before.counts.get(name, 0) for name in names) if named else before.bars
    if not any(counts):
        return None
    told = ", ".join(f"{name} {column.counts.get(name, 0)}" for name in names)
    label = f"{column.name}: {told}" if named else f"{column.name}: rows in {len(counts)} equal parts of its range"
    compared = len(behind) == len(counts)
    ours, theirs = _shares(counts), _shares(behind) if compared else ()
    most = max(*ours, *theirs, 0.0)
    return tag(
        "svg",
        tag("title", label),
        tag("g", _bars(theirs, 1.0, most), opacity="0.25") if compared else None,
        _bars(ours, 0.55 if compared else 0.85, most),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        width=WIDTH,
        height=HEIGHT,
        fill="currentColor",
        role="img",
    )


def _shares(counts: tuple[int, ...]) -> tuple[float, ...]:
    """Of all rows, so that splits of different sizes can be compared."""
    return tuple(count / max(1, sum(counts)) for count in counts)


def _bars(shares: tuple[float, ...], wide: float, most: float) -> list[Markup]:
    """`wide`: the part of its room that a bar fills; `most`: the share that is as high as the picture."""
    width = WIDTH / max(1, len(shares))
    return [
        tag(
            "rect",
            x=f"{(place + (1 - wide) / 2) * width:.1f}",
            y=f"{HEIGHT - high:.1f}",
            width=f"{wide * width:.1f}",
            height=f"{high:.1f}",
        )
        for place, high in enumerate(HEIGHT * share / most for share in shares)
    ]


def _doubts(seen: TableSeen) -> Markup:
    rows: list[list[object]] = [
        [f"{one.row:,}", tag("code", one.label), tag("code", one.expected), f"{one.probability:.0%}", _example(one)]
        for one in seen.doubts
    ]
    return tag(
        "div",
        tag("h3", f"Most doubtful labels in {seen.file}"),
        tag(
            "p",
            "What the other rows suggest for these inputs, most doubtful first. The order says where to look first.",
            class_="faint",
        ),
        table(DOUBTS, rows, f"doubtful labels of {seen.file}"),
    )


def _example(one: Doubt) -> list[Markup | str]:
    picture = tag("img", src=one.picture, width=48, alt=f"row {one.row}") if one.picture else ""
    return [picture, " ", one.shown] if picture else [one.shown]
