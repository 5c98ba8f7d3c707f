"""What is plotted, and how: the titles, axes and colours of the numbers a run measured."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from firstlight.experiments.plan import BY_NAME
from firstlight.facts.chronicle.gathering import PROGRAM
from firstlight.facts.chronicle.thinning import Thinned
from firstlight.records import wire
from firstlight.records.chronicle import Chronicle, Curve, Grid, Spread
from firstlight.records.finding import Finding
from firstlight.records.printable import escaped_in_json
from firstlight.records.timelines import Dependence

Plot = dict[str, Any]
"""As the scripts of the page take it."""
MEASURES: Mapping[str, tuple[str, str, bool]] = {
    "loss": ("Loss", "loss", False),
    "grad_norm": ("Gradient norm", "L2 norm of all gradients", True),
    "lr": ("Learning rate", "rate", False),
    "param_norm": ("Weight norm", "L2 norm of all weights", False),
    "clip_coef": ("Clipping", "factor on the gradients", False),
    "amp_scale": ("Loss scale", "factor on the loss", True),
    "step_s": ("Time per step", "seconds", False),
    "data_wait_s": ("Time waiting for data", "seconds", False),
    "samples_per_s": ("Throughput", "examples per second", False),
    "memory_allocated": ("Device memory in use", "bytes", False),
    "memory_reserved": ("Device memory reserved", "bytes", False),
    "rss": ("Host memory", "bytes", False),
    "temperature": ("Device temperature", "°C", False),
    "util": ("Device use", "%", False),
}
"""Title, unit, and whether the axis is logarithmic at first."""
LAYERS: Mapping[str, tuple[str, bool]] = {
    "grad_norm": ("Gradient norm by layer", True),
    "update_ratio": ("Update over weight, by layer", True),
    "dead": ("Share of dead units, by layer", False),
    "zero_gradients": ("Share of exactly zero gradients, by layer", False),
    "saturated": ("Share of saturated units, by layer", False),
    "activation_std": ("Spread of activations, by layer", True),
    "weight_norm": ("Weight norm by layer", True),
}
"""Title, and whether values are told apart by their ratio. The others are shares."""
SPREADS = {
    "gradients": "Size of the gradients of",
    "weights": "Size of the weights of",
    "activations": "Size of the outputs of",
}
INFLUENCE = {
    "examples": ("example", "An example should change only its own output: the diagonal."),
    "future": ("position", "The model predicts the next position, so nothing may lie above the diagonal."),
    "same": ("position", "The model predicts the very ids it is given."),
    "positions": ("position", ""),
}
"""What places are called, and what their map should look like."""
MOST_POINTS = 30_000
"""Of all curves of a page together: about half a megabyte."""
LEAST_POINTS = 60
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


def compared(told: Mapping[str, Chronicle]) -> dict[str, Plot]:
    """Several runs over each other: a plot for each measure that at least one has, a curve for each run."""
    found = {}
    for name, (title, unit, log) in MEASURES.items():
        curves = {run: chronicle.measures[name][0] for run, chronicle in told.items() if chronicle.measures.get(name)}
        if curves:
            tones = {run: place for place, run in enumerate(told)}
            named = [_curve(curve, name=run, tone=tones[run]) for run, curve in curves.items()]
            wide = log or (name == "loss" and _wide(list(curves.values())))
            found[name] = lines(title, named, y=unit, log=wide, group="steps")
    return found


def evaluated(chronicle: Chronicle) -> dict[str, Plot]:
    return {
        f"eval-{place}": lines(name, [_curve(curve) for curve in curves], x="epoch or step", y=name)
        for place, (name, curves) in enumerate(chronicle.evaluations.items())
    }


def layered(chronicle: Chronicle) -> dict[str, Plot]:
    """A share that is zero everywhere is told in words, by `nowhere`."""
    known = [name for name in LAYERS if name in chronicle.layers and not _nothing(chronicle.layers[name])]
    return {f"layers-{name}": _map(*LAYERS[name], chronicle.layers[name]) for name in known}


def nowhere(chronicle: Chronicle) -> list[str]:
    return [LAYERS[name][0] for name in LAYERS if name in chronicle.layers and _nothing(chronicle.layers[name])]


def _nothing(grid: Grid) -> bool:
    return not any(value for row in grid.values for value in row)


def influences(chronicle: Chronicle) -> dict[str, Plot]:
    return {f"influence-{place}": _influence(found) for place, found in enumerate(chronicle.influence)}


def _influence(found: Dependence) -> Plot:
    """What moves nothing stays empty, so that the form of the map is plain to see."""
    places, moved = (found.map.places, found.map.moved) if found.map is not None else ((), ())
    noun, wanted = INFLUENCE.get(found.kind, INFLUENCE["positions"])
    return {
        "kind": "map",
        "title": f"What each {noun} of the input changes",
        "note": wanted,
        "axis": f"input at {noun}",
        "unit": "of the usual output",
        "rows": [f"output at {noun} {place}" for place in places],
        "columns": places,
        "values": [[_rounded(value) if value > 0 else None for value in row] for row in moved],
        "log": True,
    }


def spreads(chronicle: Chronicle) -> dict[str, Plot]:
    return {f"spread-{place}": _spread(spread) for place, spread in enumerate(chronicle.spreads)}


def proof(finding: Finding, timelines: Sequence[Curve], repair: str) -> Plot | None:
    """The program as it is against the copy in which the repair was made."""
    by_name = {curve.name: curve for curve in timelines}
    if PROGRAM not in by_name or repair not in by_name:
        return None
    steps = finding.proof.steps if finding.proof is not None else len(by_name[repair].x)
    pair = [
        _curve(_first(by_name[PROGRAM], steps), tone=EMPHASIS),
        _curve(_first(by_name[repair], steps), name="repaired", tone=REPAIR),
    ]
    return lines(f"Proof of {finding.name}", pair, y="loss", log=_wide([by_name[PROGRAM], by_name[repair]]), height=180)


def experiments(chronicle: Chronicle, first: Collection[str]) -> Plot | None:
    """All copies at once would hide each other: beyond the program, those of `first` and a few, they wait."""
    if len(chronicle.timelines) <= 1:
        return None
    order = sorted(chronicle.timelines, key=lambda curve: (curve.name != PROGRAM, curve.name not in first))
    curves = [
        _curve(curve, tone=EMPHASIS if curve.name == PROGRAM else TONES[min(place, len(TONES)) - 1])
        | {"hidden": place >= MOST_SHOWN}
        for place, curve in enumerate(order)
    ]
    return lines("Loss of each copy", curves, y="loss", log=_wide(order[:MOST_SHOWN]), height=280)


TONES = (REPAIR, 0, 3, 4, 5, 6, OTHER)
MOST_SHOWN = 5


def question(timeline: str) -> str:
    known = BY_NAME.get(timeline)
    return "the program" if timeline == PROGRAM else known.question if known else ""


def beliefs(causes: Sequence[str], steps: Sequence[Mapping[str, float]]) -> Plot:
    xs = list(range(len(steps)))
    curves: list[Plot] = [{"name": cause, "x": xs, "y": [step.get(cause) for step in steps]} for cause in causes]
    return lines("Belief in each cause", curves, x="step of the reasoning", y="probability", height=240)


def lines(title: str, curves: list[Plot], *, y: str, x: str = "step", **more: Any) -> Plot:
    return {"kind": "lines", "title": title, "x": x, "y": y, "curves": curves, **more}


def slimmed(plots: Mapping[str, Plot]) -> dict[str, Plot]:
    """So many curves as a run has, the page stays small: each is thinned to its share."""
    curves = sum(len(plot.get("curves", ())) for plot in plots.values())
    most = max(LEAST_POINTS, MOST_POINTS // max(1, curves))
    return {
        key: plot | {"curves": [_slim(curve, most) for curve in plot["curves"]]} if "curves" in plot else plot
        for key, plot in plots.items()
    }


def _slim(curve: Plot, most: int) -> Plot:
    if len(curve["x"]) <= most:
        return curve
    thinned = Thinned(most)
    for x, y in zip(curve["x"], curve["y"], strict=True):
        if y is not None:
            thinned.add(x, y)
    return curve | {"x": [x for x, _ in thinned.points], "y": [y for _, y in thinned.points]}


def encoded(plots: Mapping[str, Plot]) -> str:
    """JSON that is safe between script tags, whatever the names in it."""
    written = escaped_in_json(wire.encode(dict(plots)).decode())
    for character, escape in (("<", "\\u003c"), (">", "\\u003e"), ("&", "\\u0026")):
        written = written.replace(character, escape)
    return written


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


def _map(title: str, log: bool, grid: Grid) -> Plot:
    more = f"{grid.left_out} more layers are not shown" if grid.left_out else None
    return {
        "kind": "map",
        "title": title,
        "note": more,
        "rows": grid.rows,
        "columns": grid.steps,
        "values": [[_rounded(value) for value in row] for row in grid.values],
        "log": log,
        "reach": None if log else (0, 1),
    }


def _spread(spread: Spread) -> Plot:
    """Large values on top; bins at either end that were never used are left out."""
    used = [place for place in range(len(spread.edges) - 1) if any(shares[place] for shares in spread.shares)]
    bins = range(used[0], used[-1] + 1) if used else range(0)
    return {
        "kind": "map",
        "title": f"{SPREADS.get(spread.kind, spread.kind)} {spread.name}",
        "unit": "of the values",
        "rows": [f"{spread.edges[place]:.2g} … {spread.edges[place + 1]:.2g}" for place in reversed(bins)],
        "columns": spread.steps,
        "values": [[_rounded(shares[place]) for shares in spread.shares] for place in reversed(bins)],
        "log": False,
    }
