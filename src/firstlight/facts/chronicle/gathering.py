"""One pass over the lines of an event log. Lines are untrusted: what is not of the expected form is passed over."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from firstlight.facts.chronicle.influences import influences
from firstlight.facts.chronicle.tables import Examples, Histograms
from firstlight.facts.chronicle.tapes import Tapes
from firstlight.facts.chronicle.thinning import Columns, Thinned
from firstlight.records.chronicle import Chronicle, Curve, Flag, Grid
from firstlight.records.inner import Layer
from firstlight.records.timelines import Dependence

Line = Mapping[str, Any]
PROGRAM = "as it is"
ASIDE = frozenset({"nursery", "probes"})
"""Timelines that are no training run."""
OF_COPIES = frozenset({"fact", "prediction_table"})
"""Lines that count in the program's copies too: their losses, and what one says of the batch it learns by heart."""
STEP_MEASURES = (
    "loss", "lr", "grad_norm", "param_norm", "clip_coef", "amp_scale", "step_s", "data_wait_s", "samples_per_s",
)  # fmt: skip
DEVICE_MEASURES = ("memory_allocated", "memory_reserved", "rss", "temperature", "util")
EPOCH_MEASURES = ("train_loss", "val_loss", "accuracy")
LAYER_MEASURES = {
    "params": {
        "norm": "grad_norm",
        "update_ratio": "update_ratio",
        "weight_norm": "weight_norm",
        "zeros": "zero_gradients",
    },
    "weights": {"norm": "weight_norm", "update": "update_ratio"},
    "modules": {"std": "activation_std", "dead": "dead", "saturated": "saturated"},
}
"""Of the rows of an event: which number becomes which grid."""
WEIGHT = " (weight)"
"""How a row on a parameter, rather than on its gradient, is named."""
MOST_CURVES = 16
MOST_FLAGS = 50
LONGEST_NAME = 120


class _Curves(dict[str, Thinned]):
    """Of one optimizer on one rank, by measure."""

    def __init__(self, place: Callable[[str], Thinned]) -> None:
        super().__init__()
        self._place = place

    def __missing__(self, measure: str) -> Thinned:
        self[measure] = found = self._place(measure)
        return found


def gather(lines: Iterable[Line]) -> Chronicle:
    gathering = Gathering()
    for line in lines:
        gathering.take(line)
    return gathering.done()


class Gathering:
    """Takes lines as they come; `done` may be asked for at any time."""

    def __init__(self) -> None:
        self._measures: dict[str, dict[str, Thinned]] = {}
        self._evaluations: dict[str, dict[str, Thinned]] = {}
        self._backwards: dict[str, dict[str, Thinned]] = {}
        self._grids: dict[str, Columns] = {}
        self._examples = Examples()
        self._histograms = Histograms()
        self._trace: tuple[Layer, ...] = ()
        self._tapes = Tapes()
        self._influence: list[Dependence] = []
        self._flags: list[Flag] = []
        self._step = 0
        self._stepping: dict[str, _Curves] = {}
        self._counts: dict[tuple[str, str], int] = {}
        self._take: dict[str, Callable[[Line], None]] = {
            "step": self._on_step,
            "fact": self._on_fact,
            "device": self._on_device,
            "epoch_complete": self._on_epoch,
            "eval_complete": self._on_evaluation,
            "finding": self._on_flag,
            "red_flag": self._on_flag,
            "gradient_stats": self._on_layers,
            "activation_stats": self._on_layers,
            "prediction_table": self._examples.add,
            "histogram": self._histograms.add,
        }

    @property
    def phases(self) -> tuple[str, ...]:
        """The lines that are looked at."""
        return tuple(self._take)

    def take(self, line: Line) -> None:
        phase = str(line.get("phase"))
        if phase in self._take and (line.get("timeline") is None or phase in OF_COPIES):
            self._take[phase](line)

    def _on_step(self, line: Line) -> None:
        step = whole(line.get("step"))
        if step is None:
            return
        self._step = max(self._step, step)
        seen = line.get("observed")
        who = (seen.get("optimizer", 0), seen.get("name", "")) if isinstance(seen, dict) else (0, "")
        curves = self._curves_of(who, line.get("rank"))
        for measure in STEP_MEASURES:
            raw = line.get(measure)
            value = raw if raw is None or type(raw) is float else number(raw)
            if value is not None:
                curves[measure].add(step, value)
        components = line.get("components")
        for part, raw in components.items() if isinstance(components, dict) else ():
            if (value := number(raw)) is not None:
                self._add(self._measures, "loss", part, step, value)

    def _curves_of(self, who: tuple[Any, Any], rank: Any) -> "_Curves":
        """Looked up once for each optimizer and rank: most lines of a log are steps of the same ones."""
        name = _curve_name(str(who[1]), who[0], rank) if rank or who[0] else ""
        known = self._stepping.get(name)
        if known is None:
            known = _Curves(lambda measure: self._place(self._measures, measure, name))
            if len(self._stepping) < MOST_CURVES:
                self._stepping[name] = known
        return known

    def _on_fact(self, line: Line) -> None:
        seen = line.get("observed")
        if not isinstance(seen, dict):
            return
        if seen.get("fact") == "backward" and not line.get("rank"):
            self._on_backward(str(line.get("timeline") or PROGRAM), seen)
        elif seen.get("fact") == "shapes" and not self._trace:
            self._trace = tuple(layers_of(seen.get("layers")))
        elif seen.get("fact") == "tape" and not line.get("rank") and line.get("timeline") is None:
            self._tapes.add(seen)
        elif seen.get("fact") == "dependence" and not line.get("rank") and len(self._influence) < MOST_CURVES:
            self._influence += influences(seen)

    def _on_backward(self, timeline: str, seen: Line) -> None:
        value = number(seen.get("value"))
        if value is None or timeline in ASIDE:
            return
        site = str(seen.get("site"))
        place = self._counts[timeline, site] = self._counts.get((timeline, site), -1) + 1
        self._add(self._backwards, timeline, site, place, value)

    def _on_device(self, line: Line) -> None:
        for measure in DEVICE_MEASURES:
            if (value := number(line.get(measure))) is not None:
                self._add(self._measures, measure, _curve_name("", 0, line.get("rank")), self._step, value)

    def _on_epoch(self, line: Line) -> None:
        metrics = line.get("metrics")
        values = {measure: line.get(measure) for measure in EPOCH_MEASURES}
        for measure, raw in {**values, **(metrics if isinstance(metrics, dict) else {})}.items():
            if (value := number(raw)) is not None:
                self._add(self._evaluations, measure, measure, whole(line.get("epoch")) or 0, value)

    def _on_evaluation(self, line: Line) -> None:
        metrics = line.get("metrics")
        for measure, raw in metrics.items() if isinstance(metrics, dict) else ():
            if (value := number(raw)) is not None:
                self._add(self._evaluations, str(measure), str(line.get("split")), self._step, value)

    def _on_flag(self, line: Line) -> None:
        step = whole(line.get("step"))
        if step is not None and step > 0 and len(self._flags) < MOST_FLAGS:
            self._flags.append(Flag(step=step, text=short(line.get("rule_id") or line.get("message"))))

    def _on_layers(self, line: Line) -> None:
        step = whole(line.get("step"))
        field = "params" if line.get("phase") == "gradient_stats" else "modules"
        rows = line.get(field)
        for row in rows if step is not None and isinstance(rows, list) and not line.get("rank") else ():
            if isinstance(row, dict):
                name = short(row.get("name"))
                known = LAYER_MEASURES["weights" if name.endswith(WEIGHT) else field]
                for source, grid in known.items():
                    if (value := number(row.get(source))) is not None:
                        self._grids.setdefault(grid, Columns()).add(step or 0, name.removesuffix(WEIGHT), value)

    def _add(self, into: dict[str, dict[str, Thinned]], measure: str, curve: str, x: float, y: float) -> None:
        self._place(into, measure, curve).add(x, y)

    def _place(self, into: dict[str, dict[str, Thinned]], measure: str, curve: str) -> Thinned:
        """Beyond the most that are shown, a place that nobody looks at."""
        measure, curve = short(measure), short(curve)
        curves = into.setdefault(measure, {}) if measure in into or len(into) < MOST_CURVES else {}
        return curves.setdefault(curve, Thinned()) if curve in curves or len(curves) < MOST_CURVES else Thinned()

    def done(self) -> Chronicle:
        longest = {name: max(sites.values(), key=len) for name, sites in self._backwards.items()}
        program = longest.pop(PROGRAM, None)
        measures = {name: _curves(found) for name, found in self._measures.items()}
        if "loss" not in measures and program is not None:
            measures["loss"] = (_curve("", program),)
        return Chronicle(
            measures=measures,
            timelines=tuple(_curve(name, found) for name, found in ({PROGRAM: program} | longest).items() if found),
            evaluations={name: _curves(found) for name, found in self._evaluations.items()},
            layers={name: _grid(found) for name, found in self._grids.items()},
            spreads=self._histograms.done(),
            predictions=self._examples.done(),
            trace=self._trace,
            tape=self._tapes.done(),
            influence=tuple(self._influence),
            flags=tuple(self._flags),
        )


def number(raw: Any) -> float | None:
    """Numbers that are not finite travel as strings."""
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        return float(raw)
    except (ValueError, OverflowError):
        return None


def whole(raw: Any) -> int | None:
    value = number(raw)
    return int(value) if value is not None and math.isfinite(value) else None


def short(raw: Any) -> str:
    return str(raw)[:LONGEST_NAME]


def layers_of(raw: Any) -> Iterable[Layer]:
    for row in raw if isinstance(raw, list) else ():
        if isinstance(row, dict):
            yield Layer(
                name=short(row.get("name", "")),
                kind=short(row.get("kind", "")),
                inputs=_shapes(row.get("inputs")),
                outputs=_shapes(row.get("outputs")),
                parameters=whole(row.get("parameters")) or 0,
            )


def _shapes(raw: Any) -> tuple[tuple[int, ...], ...]:
    found = raw if isinstance(raw, list) else []
    return tuple(tuple(whole(size) or 0 for size in shape) for shape in found if isinstance(shape, list))


def _curve_name(optimizer: str, index: Any, rank: Any) -> str:
    """Empty for the usual program, which has one optimizer and one rank."""
    parts = [f"{optimizer} {whole(index)}".strip()] if whole(index) else []
    return ", ".join([*parts, f"rank {whole(rank)}"] if whole(rank) else parts)


def _curves(found: dict[str, Thinned]) -> tuple[Curve, ...]:
    return tuple(_curve(name, points) for name, points in found.items())


def _curve(name: str, found: Thinned) -> Curve:
    return Curve(name=name, x=tuple(x for x, _ in found.points), y=tuple(y for _, y in found.points))


def _grid(found: Columns) -> Grid:
    steps = found.steps
    return Grid(
        rows=tuple(found.rows),
        steps=tuple(step for step, _ in steps),
        values=tuple(tuple(values.get(row) for _, values in steps) for row in found.rows),
        left_out=len(found.left_out),
    )
