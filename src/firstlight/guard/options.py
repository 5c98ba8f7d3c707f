"""What the user chose for a guard."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from firstlight.errors import UsageError
from firstlight.guard.capture.choices import Capturing
from firstlight.guard.journal import Retention
from firstlight.records.telemetry import Trip
from firstlight.store.run_directory import RunDirectory

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard
    from firstlight.guard.sinks import Sink

DISABLED = "FIRSTLIGHT_DISABLED"
OnRed = Literal["warn", "stop"] | Callable[[Trip, "Guard"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    on_red: OnRed = "warn"
    on_nonfinite: Literal["tell", "skip"] = "tell"
    every: int = 200
    cost: float | None = None
    fixed_batch: Any = None
    invariants: tuple[Any, ...] = ()
    ignore: tuple[str, ...] = ()
    directory: RunDirectory | Path | None = None
    retention: Retention = field(default_factory=Retention)
    capture: Capturing | None = field(default_factory=Capturing)
    sinks: tuple["str | Sink", ...] = ()

    def __post_init__(self) -> None:
        if not callable(self.on_red) and self.on_red not in ("warn", "stop"):
            raise UsageError(
                f"on_red is {self.on_red!r}; it takes 'warn', 'stop' or a function of a trip and the guard."
            )
        if self.on_nonfinite not in ("tell", "skip"):
            raise UsageError(f"on_nonfinite is {self.on_nonfinite!r}; it takes 'tell' or 'skip'.")
        if self.every < 0:
            raise UsageError(f"every is {self.every}; it takes a number of steps, or 0 for never.")
        if self.cost is not None and not 0 < self.cost <= 1:
            raise UsageError(f"cost is {self.cost}; it takes a share above 0 and up to 1, or None for no limit.")


def is_disabled(environment: Mapping[str, str] = os.environ) -> bool:
    return environment.get(DISABLED, "") not in ("", "0")
