"""What the user chose for a guard: all of it is looked at before anything is attached."""

import difflib
import inspect
import os
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from firstlight.errors import UsageError
from firstlight.experiments.declared.invariants import Invariant
from firstlight.guard.capture.choices import Capturing
from firstlight.guard.journal import Retention
from firstlight.guard.predictions import FIRST
from firstlight.guard.sinks import SINKS, Sink
from firstlight.records.telemetry import Trip
from firstlight.store.run_directory import RunDirectory

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard

DISABLED = "FIRSTLIGHT_DISABLED"
OnRed = Literal["warn", "stop"] | Callable[[Trip, "Guard"], None]


class Choices(TypedDict, total=False):
    """The options of `firstlight.guard` as they may be written; what is left out is as in `Options`."""

    on_red: OnRed
    on_nonfinite: Literal["tell", "skip"]
    every: int
    cost: float | None
    fixed_batch: Any
    invariants: Invariant | Mapping[str, Any] | Iterable[Invariant | Mapping[str, Any]]
    ignore: str | Iterable[str]
    directory: RunDirectory | Path | str | None
    retention: Retention | None
    capture: Capturing | None
    sinks: str | Sink | Iterable[str | Sink]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    on_red: OnRed = "warn"
    on_nonfinite: Literal["tell", "skip"] = "tell"
    every: int = 200
    cost: float | None = None
    fixed_batch: Any = None
    invariants: tuple[Invariant, ...] = ()
    ignore: tuple[str, ...] = ()
    directory: RunDirectory | Path | None = None
    retention: Retention = field(default_factory=Retention)
    capture: Capturing | None = field(default_factory=Capturing)
    sinks: tuple[str | Sink, ...] = ()

    def __post_init__(self) -> None:
        for name, (is_good, takes) in TAKES.items():
            value = getattr(self, name)
            if not is_good(value):
                raise UsageError(f"{name} is {reprlib.repr(value)}; it takes {takes}.")

    @classmethod
    def of(cls, choices: Choices) -> "Options":
        """From what the user wrote. Where the guard is switched off nothing is asked of it."""
        if is_disabled():
            return cls()
        given: dict[str, Any] = {k: v for k, v in choices.items() if not (k == "retention" and v is None)}
        _known(given)
        for name in ("invariants", "ignore", "sinks"):
            if name in given:
                given[name] = _several(given[name])
        given["invariants"] = tuple(Invariant.of(each) for each in given.get("invariants", ()))
        if isinstance(given.get("directory"), str):
            given["directory"] = Path(given["directory"])
        return cls(**given)


def is_disabled(environment: Mapping[str, str] = os.environ) -> bool:
    return environment.get(DISABLED, "") not in ("", "0")


def _known(given: Iterable[str]) -> None:
    names = [each.name for each in fields(Options)]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            meant = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(names)}."
            raise UsageError(f"the guard has no option `{name}`; {meant}")


def _several(value: Any) -> tuple[Any, ...]:
    """One is as good as a list of one."""
    is_one = isinstance(value, str | Mapping) or not isinstance(value, Iterable)
    return (value,) if is_one else tuple(value)


def _takes_two(function: Any) -> bool:
    """May be called with a trip and the guard, as far as can be told without doing so."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_sink(value: Any) -> bool:
    if isinstance(value, str):
        return value in SINKS
    return not isinstance(value, type) and all(
        callable(getattr(value, each, None)) for each in ("step", "flag", "close")
    )


TAKES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "on_red": (
        lambda value: value in ("warn", "stop") or (callable(value) and _takes_two(value)),
        "'warn', 'stop' or a function of a trip and the guard",
    ),
    "on_nonfinite": (lambda value: value in ("tell", "skip"), "'tell' or 'skip'"),
    "every": (
        lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= 0,
        "a whole number of steps, or 0 for never",
    ),
    "cost": (
        lambda value: value is None or (_is_number(value) and 0 < value <= 1),
        "a share above 0 and up to 1, such as 0.05, or None for no limit",
    ),
    "fixed_batch": (
        lambda value: value == FIRST if isinstance(value, str) else not isinstance(value, int | float | bytes),
        "the inputs as the model takes them, a pair of inputs and targets, or 'first'",
    ),
    "invariants": (lambda value: all(isinstance(each, Invariant) for each in value), "firstlight.Invariant objects"),
    "ignore": (lambda value: all(isinstance(each, str) for each in value), "names or ids of checks"),
    "directory": (lambda value: isinstance(value, RunDirectory | Path | None), "the path of a folder"),
    "retention": (lambda value: isinstance(value, Retention), "a firstlight.Retention"),
    "capture": (lambda value: isinstance(value, Capturing | None), "a firstlight.Capturing, or None to keep nothing"),
    "sinks": (
        lambda value: all(_is_sink(each) for each in value),
        f"{', '.join(repr(name) for name in SINKS)}, or objects with `step`, `flag` and `close`",
    ),
}
"""What each option may be, and how that is said."""
