"""What is plotted, and how: the titles, axes and colours of the numbers a run measured."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from firstlight.experiments.plan import BY_NAME
from firstlight.facts.chronicle.gathering import PROGRAM
from firstlight.records import wire
from firstlight.records.chronicle import Chronicle, Curve, Grid, Spread
from firstlight.records.finding import Finding

Plot = dict[str, Any]
"""As the scripts of the page take it."""
MEASURES: Mapping[str, tuple[str, str, bool]] = {
    "loss": ("Loss", "loss", False),
    "grad_norm": ("Gradient norm", "L2 norm of all gradients", True),
    "lr": ("Learning rate", "rate", False),
    "param_norm": ("Weight norm", "L2 norm of all weights", False),
    "clip_coef": ("Clipping", "factor on the gradients", False),
    "amp_scale": ("Loss scale", "factor on the loss", True),
    "step_s": ("Time of a step", "seconds", False),
    "data_wait_s": ("Wait for data", "seconds", False),
    "memory_allocated": ("Device memory in use", "bytes", False),
    "memory_reserved": ("Device memory reserved", "bytes", False),
    "rss": ("Host memory", "bytes", False),
    "temperature": ("Device temperature", "°C", False),
    "util": ("Device use", "%", False),
}
"""Title, unit, and whether the axis is logarithmic at first."""
LAYERS: Mapping[str, tuple[str, str, bool]] = {
    "grad_norm": ("Gradient norm by layer", "", True),
    "update_ratio": ("Update over weight, by layer", "", True),
    "zero_gradients": ("Share of gradients that are exactly zero, by layer", "", False),
    "dead": ("Share of units that are dead, by layer", "", False),
    "saturated": ("Share of units that are saturated, by layer", "", False),
    "activation_std": ("Spread of activations, by layer", "", True),
    "weight_norm": ("Weight norm by layer", "", True),
}
WIDE = 50.0
"""Ratio of the largest to the smallest value from which on a logarithmic axis shows more."""
EMPHASIS, REPAIR, OTHER = 1, 2, 7


def measured(chronicle: Chronicle) -> dict[str, Plot]:
    marks = [{"x": flag.step, "text": f"{flag.text} at step {flag.step}"} for flag in chronicle.flags]
    found = {}
    for name, (title, unit, log) in MEASURES.items():
        curves = [curve for curve in chronicle.measures.get(name, ()) if len(curve.x) > 1]
        if curves:
            named = [_curve(curve, name=curve.name or title.lower()) for curve in curves]
            found[name] = lines(title, named, y=unit, log=log or (name == "loss" and _wide(curves)), marks=marks)
    return {name: plot | {"group": "steps"} for name, plot in found.items()}


def evaluated(chronicle: Chronicle) -> dict[str, Plot]:
    return {
        f"eval-{place}": lines(name, [_curve(curve) for curve in curves], x="epoch or step", y=name)
        for place, (name, curves) in enumerate(chronicle.evaluations.items())
    }


def layered(chronicle: Chronicle) -> dict[str, Plot]:
    known = [(name, *LAYERS[name]) for name in LAYERS if name in chronicle.layers]
    return {f"layers-{name}": _map(title, unit, chronicle.layers[name], log) for name, title, unit, log in known}


def spreads(chronicle: Chronicle) -> dict[str, Plot]:
    return {f"spread-{place}": _spread(spread) for place, spread in enumerate(chronicle.spreads)}


def proof(finding: Finding, timelines: Sequence[Curve], repair: str) -> Plot | None:
    """The program as it is against the copy in which the repair was made."""
    by_name = {curve.name: curve for curve in timelines}
    if PROGRAM not in by_name or repair not in by_name:
        return None
    steps = int(finding.evidence.get("steps_compared") or 0) or len(by_name[repair].x)
    pair = [
        _curve(_first(by_name[PROGRAM], steps), tone=EMPHASIS),
        _curve(_first(by_name[repair], steps), name="repaired", tone=REPAIR),
    ]
    return lines(f"Proof of {finding.name}", pair, y="loss", log=_wide([by_name[PROGRAM], by_name[repair]]), height=180)


def experiments(chronicle: Chronicle) -> Plot | None:
    """All copies at once would hide each other: those beyond the first few wait to be asked for."""
    if len(chronicle.timelines) <= 1:
        return None
    curves = []
    for place, curve in enumerate(chronicle.timelines):
        tone = EMPHASIS if curve.name == PROGRAM else OTHER if place > OTHER else (0, 0, 2, 3, 4, 5, 6, 7)[place]
        curves.append(_curve(curve, tone=tone) | {"hidden": place > MOST_SHOWN})
    return lines("Loss of each copy", curves, y="loss", log=_wide(chronicle.timelines), height=280)


MOST_SHOWN = 4


def question(timeline: str) -> str:
    known = BY_NAME.get(timeline)
    return "the program" if timeline == PROGRAM else known.question if known else ""


def beliefs(causes: Sequence[str], steps: Sequence[Mapping[str, float]]) -> Plot:
    xs = list(range(len(steps)))
    curves: list[Plot] = [{"name": cause, "x": xs, "y": [step.get(cause) for step in steps]} for cause in causes]
    return lines("Belief in each cause", curves, x="step of the reasoning", y="probability", height=240)


def lines(title: str, curves: list[Plot], *, y: str, x: str = "step", **more: Any) -> Plot:
    return {"kind": "lines", "title": title, "x": x, "y": y, "curves": curves, **more}


def encoded(plots: Mapping[str, Plot]) -> str:
    """JSON that is safe between script tags, whatever the names in it."""
    written = msgspec.json.encode(wire.to_plain(dict(plots))).decode()
    for character, escape in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026"), ("\u2028", "\\u2028")):
        written = written.replace(character, escape)
    return written.replace("\u2029", "\\u2029")


def _curve(curve: Curve, name: str | None = None, tone: int | None = None) -> Plot:
    found: Plot = {"name": name or curve.name, "x": curve.x, "y": [_rounded(value) for value in curve.y]}
    return found if tone is None else found | {"tone": tone}


def _first(curve: Curve, steps: int) -> Curve:
    kept = sum(x < steps for x in curve.x)
    return Curve(name=curve.name, x=curve.x[:kept], y=curve.y[:kept])


def _wide(curves: Sequence[Curve]) -> bool:
    positive = [value for curve in curves for value in curve.y if 0.0 < value < float("inf")]
    everything = all(value > 0.0 or value != value for curve in curves for value in curve.y)
    return bool(positive) and everything and max(positive) > WIDE * min(positive)


def _rounded(value: float | None) -> float | None:
    """Five digits are more than a screen shows, and half the size of the page."""
    return value if value is None else float(f"{value:.5g}")


def _map(title: str, unit: str, grid: Grid, log: bool) -> Plot:
    values = [[_rounded(value) for value in row] for row in grid.values]
    more = f"; {grid.left_out} more layers are not shown" if grid.left_out else ""
    return {
        "kind": "map",
        "title": title,
        "unit": unit,
        "note": more,
        "rows": grid.rows,
        "columns": grid.steps,
        "values": values,
        "log": log,
    }


def _spread(spread: Spread) -> Plot:
    bins = [f"{low:.3g} … {high:.3g}" for low, high in zip(spread.edges, spread.edges[1:], strict=False)]
    columns = [[_rounded(share) for share in shares] for shares in spread.shares]
    return {
        "kind": "map",
        "title": f"{spread.kind} of {spread.name}",
        "unit": "of the values",
        "rows": bins[::-1],
        "columns": spread.steps,
        "values": [[column[row] for column in columns] for row in range(len(bins))][::-1],
        "log": False,
    }
