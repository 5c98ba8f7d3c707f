"""The page of a verb of the lab: its answer, its numbers, its plots and its tables."""

from firstlight.records.finding import Scalar
from firstlight.records.lab import LabCurve, LabMap, LabPlot, LabReport, LabTable
from firstlight.report.html.markup import Markup, prose, tag
from firstlight.report.html.page import document
from firstlight.report.html.parts import duration, figure, section, table
from firstlight.report.html.plots import Plot
from firstlight.report.lab import cell

HEIGHT = 280


def render(report: LabReport) -> str:
    drawn: dict[str, Plot] = {}
    body = {
        "drawings": _plots(report, drawn),
        "measured": _tables(report.tables),
        "numbers": _numbers(report),
        "limits": _limits(report),
    }
    command = f"firstlight {report.kind} {' '.join(report.command)}"
    head = (f"{report.kind}: {' '.join(report.command)}", command)
    return document(head, _answer(report), {key: part for key, part in body.items() if part is not None}, drawn)


def _answer(report: LabReport) -> Markup:
    first, _, rest = report.answer.partition(". ")
    told = [tag("li", prose(text)) for text in report.advice]
    figures = [(f"{report.done}", "trials")] if report.done else []
    figures += [(f"{report.left}", "not run")] if report.left else []
    figures += [(duration(report.seconds), "in total")]
    items = [tag("div", tag("dt", label), tag("dd", value)) for value, label in figures]
    return tag(
        "header",
        tag("p", tag("span", report.kind), class_="word"),
        tag("h1", prose(first + ("." if rest else "")), class_="told-short"),
        tag("p", prose(rest), class_="because") if rest else None,
        tag("ul", told, class_="because") if told else None,
        tag("dl", items, class_="figures"),
        class_="verdict",
    )


def _plots(report: LabReport, drawn: dict[str, Plot]) -> Markup | None:
    found = {f"plot-{place}": _lines(plot) for place, plot in enumerate(report.plots)}
    found |= {f"map-{place}": _map(one) for place, one in enumerate(report.maps)}
    if not found:
        return None
    drawn |= found
    curves = (
        "Drag across a plot to zoom, double-click to see all. Click a name to hide its curve. " if report.plots else ""
    )
    note = curves + ("Hover over a cell to read it." if report.maps else "")
    return section("drawings", "Plots", [figure(key, plot, plot["note"]) for key, plot in found.items()], note=note)


def _lines(plot: LabPlot) -> Plot:
    return {
        "kind": "lines",
        "title": plot.title,
        "note": _note(plot),
        "x": plot.x,
        "y": plot.y,
        "curves": [_curve(curve) for curve in plot.curves],
        "marks": [{"x": mark.x, "text": mark.text, "named": True} for mark in plot.marks],
        "log": plot.log_y,
        "logx": plot.log_x,
        "height": HEIGHT,
    }


def _note(plot: LabPlot) -> str:
    """What is drawn over what, and where exactly its upright lines stand."""
    lines = ", ".join(f"{mark.text} ({cell(mark.x)})" for mark in plot.marks)
    told = (f"{plot.y} over {plot.x}", plot.note, f"vertical lines: {lines}" if lines else "")
    return "; ".join(part for part in told if part)


def _curve(curve: LabCurve) -> Plot:
    points = {"x": curve.x, "y": [float(f"{value:.5g}") for value in curve.y]}
    return {"name": curve.name, "dashed": curve.dashed, **points}


def _map(one: LabMap) -> Plot:
    return {
        "kind": "map",
        "title": one.title,
        "note": "; ".join(part for part in (f"across: {one.x}, down: {one.y}", one.note) if part),
        "axis": one.x,
        "rows": [f"{place:.3g}" for place in one.rows],
        "columns": one.columns,
        "values": one.values,
        "log": one.log,
    }


def _tables(tables: tuple[LabTable, ...]) -> Markup | None:
    made = [
        part
        for one in tables
        for part in (
            tag("h3", one.title) if one.title else None,
            table(one.head, [[cell(value) for value in row] for row in one.rows], one.title or "what was measured"),
        )
    ]
    return section("measured", "Measured", made) if made else None


def _numbers(report: LabReport) -> Markup | None:
    suggested = {"suggested": report.suggested, "low": report.low, "high": report.high}
    named: dict[str, Scalar] = {**(suggested if report.suggested is not None else {}), **report.numbers}
    rows: list[list[object]] = [[tag("code", name), cell(value)] for name, value in named.items() if value is not None]
    return section("numbers", "Numbers", table(("name", "value"), rows, "numbers by name")) if rows else None


def _limits(report: LabReport) -> Markup | None:
    said = [tag("li", prose(limit)) for limit in report.limits]
    return section("limits", "What this does not mean", tag("ul", said, class_="reasons")) if said else None
