"""An event log: what is required of it, and what was seen in it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from firstlight.records.finding import Evidence
from firstlight.records.places import Where


class EventRule(msgspec.Struct, frozen=True, kw_only=True):
    """What every event of one kind must be like."""

    fields: dict[str, Any] = {}
    """Required fields and their types, as msgspec takes them."""
    required: bool = True
    """At least one such event must be there."""
    once: bool = False
    rising: str | None = None
    """A field that rises from each such event of a writer to the next."""
    contiguous: bool = False
    """… by one each time."""


class LogRules(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    events: dict[str, EventRule] = {}
    first: str | None = None
    last: str | None = None
    pairs: tuple[tuple[str, str, str], ...] = ()
    """Kinds of events that open and close something, and the field that says what."""
    resets: frozenset[str] = frozenset({"resume", "run_start", "experiment_start", "fold_start"})
    """Kinds after which steps and epochs may begin anew."""


class LogFault(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of fault, where it was first seen and how often."""

    kind: str
    """unreadable, torn, absent, lacking, mistyped, nonfinite, order or steps."""
    line: int
    phase: str = ""
    field: str = ""
    times: int = 1
    saw: str
    wanted: str


class LogSeen(msgspec.Struct, frozen=True, kw_only=True):
    """A whole log, read once."""

    file: str
    rules: str
    """By which it was read."""
    lines: int = 0
    bytes: int = 0
    events: dict[str, int] = {}
    """How many of each kind."""
    faults: tuple[LogFault, ...] = ()


def evidence_of(log: LogSeen, kind: str, likely: str | None = None, do: str | None = None) -> Iterator[Evidence]:
    """Each fault of one kind, at the line where it was first seen."""
    for fault in log.faults:
        if fault.kind == kind:
            often = f", {fault.times:,} times" if fault.times > 1 else ""
            yield Evidence(
                where=Where(file=log.file, line=fault.line),
                saw=fault.saw + often,
                wanted=fault.wanted,
                likely=likely,
                do=do,
                numbers={"times": fault.times, "phase": fault.phase, "field": fault.field},
            )
