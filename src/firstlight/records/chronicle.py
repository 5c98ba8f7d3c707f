"""What a run measured over its steps, thinned to what a page can show: the numbers behind every plot."""

import msgspec

from firstlight.records.inner import Layer
from firstlight.records.taped import TapeSeen
from firstlight.records.timelines import Dependence


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Extremes and values that are not finite survive the thinning."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """One value for each layer and step; None where that layer was not measured at that step."""

    rows: tuple[str, ...]
    steps: tuple[int, ...]
    values: tuple[tuple[float | None, ...], ...]
    """By row, then by step."""
    left_out: int = 0
    """Layers beyond those shown."""


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """How the values of one tensor were distributed, over steps."""

    name: str
    kind: str
    edges: tuple[float, ...]
    """Of the bins, one more than there are bins."""
    steps: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    """By step, then by bin; they sum to 1."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What the model said of one fixed example, step by step."""

    example: str
    truth: str
    said: tuple[str, ...]
    confidence: tuple[float | None, ...]


class Predictions(msgspec.Struct, frozen=True, kw_only=True):
    steps: tuple[int, ...] = ()
    answers: tuple[Answer, ...] = ()


class Flag(msgspec.Struct, frozen=True, kw_only=True):
    step: int
    text: str


class Chronicle(msgspec.Struct, frozen=True, kw_only=True):
    measures: dict[str, tuple[Curve, ...]] = {}
    """By the name of the measure, as in the event log: `loss`, `lr`, `grad_norm`, …"""
    timelines: tuple[Curve, ...] = ()
    """Loss of the program and of its changed copies, counted from the step they were copied at; the program first."""
    evaluations: dict[str, tuple[Curve, ...]] = {}
    layers: dict[str, Grid] = {}
    spreads: tuple[Spread, ...] = ()
    predictions: Predictions = Predictions()
    trace: tuple[Layer, ...] = ()
    tape: tuple[TapeSeen, ...] = ()
    """The parts of one backward of the last step that was taped."""
    influence: tuple[Dependence, ...] = ()
    """Each with a map of what moves what."""
    flags: tuple[Flag, ...] = ()
    problems: tuple[str, ...] = ()
    """Lines of the log that could not be read."""
