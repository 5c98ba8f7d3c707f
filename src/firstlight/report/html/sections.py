"""What was measured: curves, layers, distributions, the model's shapes, and what it said of fixed examples."""

from firstlight.records.chronicle import Answer, Chronicle, Predictions
from firstlight.records.inner import Layer
from firstlight.report.html import plots
from firstlight.report.html.markup import Markup, tag
from firstlight.report.html.parts import figure, rest, section, table
from firstlight.report.html.plots import Plot
from firstlight.report.tape import HEAD, LEGEND, cells, title

MAIN = ("loss", "grad_norm", "lr")
LESS = ("layers-activation_std", "layers-weight_norm")
MOST_SPREADS = 4
LEVELS = 4
"""Of confidence, as shades."""


def curves(chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup | None:
    found = plots.measured(chronicle) | plots.evaluated(chronicle)
    if not found:
        return None
    drawn |= found
    main = [figure(name, plot) for name, plot in found.items() if name in MAIN]
    more = [figure(name, plot) for name, plot in found.items() if name not in MAIN]
    note = "Drag across a plot to zoom, double-click to see all. Click a name to hide its curve."
    return section("curves", "Curves", tag("div", main, class_="pair first-wide"), rest("More curves", more), note=note)


def layers(chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup | None:
    found = plots.layered(chronicle)
    drawn |= found
    main = [figure(name, plot, plot["note"]) for name, plot in found.items() if name not in LESS]
    more = [figure(name, plot, plot["note"]) for name, plot in found.items() if name in LESS]
    absent = [tag("p", f"{title}: none at any step.", class_="faint") for title in plots.nowhere(chronicle)]
    note = "One row per layer, one column per step. Red: not finite."
    return section("layers", "Layers over steps", main, absent, rest("More maps", more), note=note) if found else None


def spreads(chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup | None:
    found = plots.spreads(chronicle)
    drawn |= found
    figures = [figure(name, plot) for name, plot in found.items()]
    main, more = tag("div", figures[:MOST_SPREADS], class_="pair"), rest("More distributions", figures[MOST_SPREADS:])
    note = "The sizes of values: one column per step, brighter where there are more values."
    return section("spreads", "Distributions over steps", main, more, note=note) if found else None


def influence(chronicle: Chronicle, drawn: dict[str, Plot]) -> Markup | None:
    found = plots.influences(chronicle)
    drawn |= found
    figures = [figure(name, plot, plot["note"]) for name, plot in found.items()]
    note = (
        "The model in evaluation mode on its first batch, with one part of the input changed at a time: a row for each "
        "part of the output, a column for each part changed. Empty: the output did not change."
    )
    return section("influence", "What changes what", tag("div", figures, class_="pair"), note=note) if found else None


def trace(chronicle: Chronicle) -> Markup | None:
    if not chronicle.trace:
        return None
    rows = [_layer(layer) for layer in chronicle.trace]
    return section(
        "shapes",
        "Shapes through the model",
        table(("module", "kind", "input", "output", "parameters"), rows, "shapes of each module"),
        note="From the first training step, in the order in which the modules returned.",
    )


def tape(chronicle: Chronicle) -> Markup | None:
    if not chronicle.tape:
        return None
    rows: list[list[object]] = [[tag("code", cell) if cell else "" for cell in row] for row in cells(chronicle.tape)]
    shown = table(HEAD, rows, "operations between data and loss")
    told = tag("details", tag("summary", title(chronicle.tape)), shown, class_="rest")
    return section("tape", "Operations between data and loss", told, note=LEGEND)


def _layer(layer: Layer) -> list[object]:
    name = tag("code", layer.name or "(the model)")
    shapes = [tag("code", _shapes(found)) for found in (layer.inputs, layer.outputs)]
    return [name, layer.kind, *shapes, f"{layer.parameters:,}" if layer.parameters else ""]


def _shapes(found: tuple[tuple[int, ...], ...]) -> str:
    return ", ".join(" × ".join(map(str, shape)) or "scalar" for shape in found) or "–"


def predictions(found: Predictions) -> Markup | None:
    if not found.answers:
        return None
    head = ("example", "truth", *map(str, found.steps))
    rows = [_answer(answer) for answer in found.answers]
    note = (
        "What the model predicted for the same examples over time; in `check`, for one batch that a copy of the "
        "program overfits. Green is right; a stronger color is more confident."
    )
    return section("predictions", "Predictions", table(head, rows, "predictions over steps"), note=note)


def _answer(answer: Answer) -> list[object]:
    pairs = zip(answer.said, answer.confidence, strict=True)
    return [answer.example, answer.truth, *(_said(said, sure, said == answer.truth) for said, sure in pairs)]


def _said(said: str, sure: float | None, right: bool) -> Markup:
    level = "" if sure is None else f" sure{min(LEVELS - 1, max(0, int(sure * LEVELS))) if sure == sure else 0}"
    percent = f" {sure:.0%}" if sure is not None and sure == sure else ""
    told = f"{'right' if right else 'wrong'}{percent}"
    return tag(
        "span", said, tag("span", f", {told}", class_="unseen"), class_=f"{'right' if right else 'wrong'}{level}"
    )
