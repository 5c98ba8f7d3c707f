"""One run on a terminal: the same that the browser shows, in some twenty lines."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from firstlight.dashboard.follower import Follower
from firstlight.dashboard.shelf import Card, Shelf
from firstlight.records.chronicle import Chronicle
from firstlight.records.printable import in_one_line
from firstlight.report.sparkline import sparkline
from firstlight.store.run_directory import RunDirectory

MEASURES = {"loss": "loss", "lr": "learning rate", "grad_norm": "gradient norm"}
STYLES = {"ill": "bold red", "warn": "bold yellow", "clean": "bold green", "running": "bold cyan", "error": "red"}
STYLES |= {
    "warning": "yellow",
    "note": "cyan",
    "silent": "bold yellow",
    "stalled": "bold red",
    "unjudged": "bold magenta",
}
LATEST = 50
"""Steps over which the pace is taken."""
STEPS_OF_SILENCE = 30
"""A run that has been silent for less than so many of its own steps is at work on a long one."""
MOST_FLAGS = 8
NARROWEST = 10
SLICE_SECONDS = 0.2
PAUSE_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Screen:
    follower: Follower
    shelf: Shelf

    @classmethod
    def of(cls, run: RunDirectory) -> "Screen":
        return cls(Follower(run), Shelf(run.path))

    def catch_up(self) -> None:
        while self.follower.advance(SLICE_SECONDS):
            pass

    def once(self, console: Console) -> None:
        self.catch_up()
        console.print(self.drawn(console.width))

    def live(self, console: Console) -> None:
        """Until the run ends or Ctrl-C."""
        with Live(console=console, auto_refresh=False, transient=False) as live:
            while True:
                fresh = self.follower.advance(SLICE_SECONDS)
                live.update(self.drawn(console.width), refresh=True)
                card = self.card()
                if not fresh and card is not None and card.state == "ended":
                    return
                time.sleep(0.0 if self.follower.read < 1.0 else PAUSE_SECONDS)

    def card(self) -> Card | None:
        return self.shelf.card(self.follower.run)

    def drawn(self, width: int) -> RenderableType:
        chronicle = self.follower.chronicle()
        return Group(self._head(chronicle), *_curves(chronicle, width), *self._flags())

    def _head(self, chronicle: Chronicle) -> Text:
        card = self.card()
        if card is None:
            return Text("the run is gone")
        word, pace = self._word(card, chronicle), _pace(chronicle)
        parts = [
            f"  {card.command}",
            f"step {card.steps:,}",
            f"nothing written for {_minutes(card.quiet)}" if card.quiet else pace,
            f"read {self.follower.read:.0%}" if self.follower.read < 1 else "",
        ]
        told = in_one_line(" · ".join(part for part in parts if part))
        return Text(word, style=STYLES.get(word, "bold")) + Text(told)

    def _word(self, card: Card, chronicle: Chronicle) -> str:
        """A run whose steps are long writes seldom; one that is silent for many of its own steps stands still."""
        if card.state == "ended" and card.verdict:
            return card.verdict
        usual = _step_seconds(chronicle)
        slow = card.state == "silent" and usual is not None and card.quiet < STEPS_OF_SILENCE * usual
        return "running" if slow else "stalled" if card.state == "silent" else card.state

    def _flags(self) -> Iterator[Text]:
        loud = [one for one in self.follower.sightings if one["phase"] != "run_end"]
        for one in loud[-MOST_FLAGS:]:
            severity = in_one_line(one["severity"])
            step = f"step {one['step']}" if one["step"] is not None else ""
            place = f"{one['file']}:{one['line']}" if one["file"] else step
            told = " · ".join(part for part in (one["id"], one["text"], place) if part)
            yield Text(f"{severity:<8}", style=STYLES.get(severity, "yellow")) + Text(in_one_line(told))
        if len(loud) > MOST_FLAGS:
            yield Text(f"and {len(loud) - MOST_FLAGS} before them", style="dim")


def _curves(chronicle: Chronicle, width: int) -> Iterator[RenderableType]:
    table = Table.grid(padding=(0, 2, 0, 0))
    for name, label in MEASURES.items():
        for curve in chronicle.measures.get(name, ())[:2]:
            values = curve.y
            drawn = sparkline(values, max(NARROWEST, width - 44))
            finite = [value for value in values if math.isfinite(value)]
            reach = f"{min(finite):.3g} … {max(finite):.3g}" if finite else ""
            called = in_one_line(f"{label} {curve.name}".strip())
            table.add_row(
                Text(called[:20], style="dim"),
                Text(drawn),
                Text(f"{values[-1]:.4g}", style="bold"),
                Text(reach, style="dim"),
            )
    if table.row_count:
        yield table


def _step_seconds(chronicle: Chronicle) -> float | None:
    times = [value for curve in chronicle.measures.get("step_s", ())[:1] for value in curve.y[-LATEST:] if value > 0]
    return sum(times) / len(times) if times else None


def _pace(chronicle: Chronicle) -> str:
    usual = _step_seconds(chronicle)
    return f"{1 / usual:.3g} steps/s" if usual else ""


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 2 * 60 else f"{seconds:.0f} s"
