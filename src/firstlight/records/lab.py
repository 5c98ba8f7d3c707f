"""What a verb of the lab found out: an answer in a sentence or two, the numbers behind it, tables and plots."""

from typing import Literal

import msgspec

from firstlight.records.finding import Scalar

LAB_SCHEMA: Literal["firstlight.lab/1"] = "firstlight.lab/1"


class LabCurve(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a plot, sorted by `x`."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    dashed: bool = False
    """A fit or a bound, rather than what was measured."""


class LabMark(msgspec.Struct, frozen=True, kw_only=True):
    """A place on the x axis that has a meaning."""

    x: float
    text: str


class LabPlot(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    x: str
    y: str
    """What is measured along each axis, with its unit."""
    curves: tuple[LabCurve, ...]
    marks: tuple[LabMark, ...] = ()
    log_x: bool = False
    log_y: bool = False
    note: str = ""


class LabMap(msgspec.Struct, frozen=True, kw_only=True):
    """A value for each place of a grid, shown as a colour."""

    title: str
    x: str
    y: str
    columns: tuple[float, ...]
    rows: tuple[float, ...]
    """Places along y, the topmost first."""
    values: tuple[tuple[float | None, ...], ...]
    """By row, then by column; None where nothing was measured."""
    log: bool = False
    note: str = ""


class LabTable(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Scalar, ...], ...]


class LabReport(msgspec.Struct, frozen=True, kw_only=True):
    """What every verb of the lab tells; `kind` is the verb."""

    schema: Literal["firstlight.lab/1"] = LAB_SCHEMA
    kind: str
    command: tuple[str, ...]
    """The program it is about, with its arguments."""
    answer: str
    """One or two whole sentences, which can be read alone."""
    suggested: float | None = None
    """The one number to use, where the verb is asked for one."""
    low: float | None = None
    high: float | None = None
    """The range in which `suggested` is as good."""
    numbers: dict[str, Scalar] = {}
    """Whatever else a program would read, by its name."""
    advice: tuple[str, ...] = ()
    """What to do about it, one thing each."""
    tables: tuple[LabTable, ...] = ()
    plots: tuple[LabPlot, ...] = ()
    maps: tuple[LabMap, ...] = ()
    done: int = 0
    """Trials that are in the answer, and below, those that an interrupt or the time left out."""
    left: int = 0
    limits: tuple[str, ...] = ()
    """What the answer does not mean."""
    seconds: float = 0.0
    run: str | None = None
    """Directory with `lab.json` and the page `lab.html`, relative to the working directory of the command."""
    environment: dict[str, Scalar] = {}
