"""Inside a program started by `firstlight run`: the guard is attached, and told how the program ended."""

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

from firstlight.guard import inside
from firstlight.guard.capture.choices import Capturing
from firstlight.guard.options import OnRed, Options
from firstlight.guard.run import order as orders
from firstlight.store.run_directory import RunDirectory

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard
    from firstlight.records.telemetry import Trip

_attached: inside.Inside | None = None


def begin() -> None:
    """Called once torch is imported, in every process of the program. One that never trains leaves nothing behind."""
    global _attached  # noqa: PLW0603  # one program, one guard
    order = orders.current()
    if _attached is not None or order is None:
        return
    options = Options(
        on_red=on_red(order.on_red),
        directory=RunDirectory(Path(order.run)),
        ignore=order.ignore,
        capture=Capturing(keep=order.keep, every=order.keep_every),
        sinks=order.sinks,
    )
    _attached = inside.install(options)


def on_red(word: str) -> OnRed:
    """`module:function` is imported at the first red flag, when the program's own path is in place."""
    if word in ("warn", "stop"):
        return word  # type: ignore[return-value]  # one of the two words
    module, _, name = word.partition(":")

    def call(trip: "Trip", guard: "Guard") -> None:
        getattr(importlib.import_module(module), name)(trip, guard)

    return call
