"""One line at a time, slowly and in words: what is wrong with an event, and with its place among the others."""

import datetime
import difflib
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import msgspec

from firstlight.observe.log.shapes import PLAIN
from firstlight.records.log import LogFault, LogRules
from firstlight.records.wire import NON_FINITE

MOST_FAULTS = 200
"""Kinds of fault that are told apart; the rest is counted with the last."""
MOST_PHASES, MOST_WRITERS, MOST_OPEN = 1024, 4096, 65536
"""What is remembered of a log has a bound, whatever is in it."""
OTHERS = "…"
_BARE = re.compile(rb"[:\[,]\s*-?(NaN|Infinity|nan|inf)\b")
_TORN_WANTED = "whole lines up to the last"


Key = tuple[str, str]
"""Rank and timeline, as text."""


@dataclass(slots=True)
class Writer:
    """Who appends: a rank, or an experiment on a copy of the program."""

    seq: int | None = None
    ts: Any = None
    marks: dict[str, Any] = field(default_factory=dict)
    once: set[str] = field(default_factory=set)
    """Events written of which each writer has one, such as the beginning."""

    def copy(self) -> "Writer":
        return Writer(self.seq, self.ts, dict(self.marks), set(self.once))


class Ledger:
    """What is known of a log so far."""

    def __init__(self, rules: LogRules) -> None:
        self.rules = rules
        self.writers: dict[Key, Writer] = {}
        self.events: Counter[str] = Counter()
        self.last_phase = ""
        self._open: dict[tuple[str, Any], int] = {}
        self._faults: dict[tuple[str, str, str], LogFault] = {}

    @property
    def faults(self) -> tuple[LogFault, ...]:
        return tuple(self._faults.values())

    def tell(self, kind: str, line: int, saw: str, wanted: str, of: tuple[str, str] = ("", "")) -> None:
        key = (kind, *of)
        known = self._faults.get(key)
        if known is not None:
            self._faults[key] = msgspec.structs.replace(known, times=known.times + 1)
        elif len(self._faults) < MOST_FAULTS:
            self._faults[key] = LogFault(kind=kind, line=line, phase=of[0], field=of[1], saw=saw, wanted=wanted)

    def line(self, number: int, data: bytes, complete: bool = True) -> str | None:
        """Judges a line, and returns what kind of event it is."""
        event = self._parsed(number, data, complete)
        if event is None:
            return None
        phase = event.get("phase", event.get("event"))
        if not isinstance(phase, str):
            self.tell("lacking", number, "an event without `phase`", "`phase` or `event`, a string", ("", "phase"))
            return None
        self.events[phase if phase in self.events or len(self.events) < MOST_PHASES else OTHERS] += 1
        self._fields(number, phase, event)
        self._place(number, phase, event)
        self.last_phase = phase
        return phase

    def _parsed(self, number: int, data: bytes, complete: bool) -> dict[str, Any] | None:
        try:
            event = msgspec.json.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if not complete:
                self.tell("torn", number, f"{len(data)} bytes behind the last newline, cut off", _TORN_WANTED)
            elif bare := _BARE.search(data):
                name = bare[1].decode()
                self.tell(
                    "unreadable",
                    number,
                    f"the bare word `{name}`",
                    f'JSON, in which it is the string "{name}"',
                    ("", name),
                )
            else:
                self.tell("unreadable", number, f"no JSON: {error}", "one JSON object a line", ("", "syntax"))
            return None
        if not isinstance(event, dict):
            self.tell("unreadable", number, f"a JSON {type(event).__name__}", "one JSON object a line", ("", "object"))
            return None
        return event

    def _fields(self, number: int, phase: str, event: dict[str, Any]) -> None:
        for name, kind in self.rules.events.get(phase, PLAIN).fields.items():
            if name not in event:
                near = difflib.get_close_matches(name, event, 1)
                meant = f"; it has `{near[0]}`" if near else ""
                self.tell(
                    "lacking",
                    number,
                    f"a `{phase}` without `{name}`{meant}",
                    f"`{name}` in every `{phase}`",
                    (phase, name),
                )
                continue
            try:
                msgspec.convert(event[name], type=kind)
            except msgspec.ValidationError as error:
                value, found = event[name], str(error).partition(" - at ")[0]
                if value in NON_FINITE and fits_number(kind):
                    self.tell(
                        "nonfinite", number, f"`{name}` of `{phase}` is {value}", "a finite number", (phase, name)
                    )
                else:
                    self.tell(
                        "mistyped",
                        number,
                        f"`{name}` of `{phase}`: {found.lower()}",
                        "the type that is required",
                        (phase, name),
                    )

    def _place(self, number: int, phase: str, event: dict[str, Any]) -> None:
        rule = self.rules.events.get(phase, PLAIN)
        if self.rules.first is not None and sum(self.events.values()) == 1 and phase != self.rules.first:
            self.tell(
                "order", number, f"`{phase}` comes first", f"`{self.rules.first}` as the first event", (phase, "first")
            )
        self._pairs(number, phase, event)
        writer = self._writer(event)
        if rule.once and phase in writer.once:
            self.tell("order", number, f"a second `{phase}`", "one of each writer", (phase, "once"))
        if rule.once:
            writer.once.add(phase)
        if phase in self.rules.resets:
            writer.marks.clear()
        self._sequence(number, writer, event)
        mark = event.get(rule.rising) if rule.rising else None
        if rule.rising and _is_number(mark):
            self._mark(number, phase, writer, mark)

    def _writer(self, event: dict[str, Any]) -> Writer:
        """A log by more writers than can be kept apart has their order unjudged."""
        key = (str(event.get("rank")), str(event.get("timeline")))
        if key not in self.writers and len(self.writers) >= MOST_WRITERS:
            return Writer()
        return self.writers.setdefault(key, Writer())

    def _pairs(self, number: int, phase: str, event: dict[str, Any]) -> None:
        for opens, closes, name in self.rules.pairs:
            key = (opens, str(event.get(name)))
            if phase == opens and len(self._open) < MOST_OPEN:
                self._open[key] = number
            elif phase == closes and self._open.pop(key, None) is None:
                self.tell(
                    "order",
                    number,
                    f"`{closes}` of {name} {key[1]} with no `{opens}` before it",
                    f"`{opens}` first",
                    (phase, "pair"),
                )

    def _sequence(self, number: int, writer: Writer, event: dict[str, Any]) -> None:
        seq, ts = event.get("seq"), event.get("ts")
        if isinstance(seq, int):
            if writer.seq is not None and 0 < seq <= writer.seq:
                self.tell(
                    "order",
                    number,
                    f"`seq` {seq} after {writer.seq}",
                    "a number that rises with each line of a writer",
                    ("", "seq"),
                )
            writer.seq = seq
        if ts is not None:
            if writer.ts is not None and _earlier(ts, writer.ts):
                self.tell("order", number, f"time {ts} after {writer.ts}", "times that never go back", ("", "ts"))
            writer.ts = ts

    def _mark(self, number: int, phase: str, writer: Writer, mark: Any) -> None:
        rule, last = self.rules.events[phase], writer.marks.get(phase)
        writer.marks[phase] = mark
        if last is None:
            return
        if mark <= last:
            word = "again" if mark == last else f"after {last}"
            self.tell(
                "steps",
                number,
                f"{rule.rising} {mark} {word}",
                f"{rule.rising} numbers that rise, or a `resume` in between",
                (phase, "back"),
            )
        elif rule.contiguous and mark != last + 1:
            self.tell("steps", number, f"{rule.rising} {mark} after {last}", "no gaps", (phase, "gap"))

    def close(self, number: int) -> None:
        """What only the end of the log can tell."""
        for phase, rule in self.rules.events.items():
            if rule.required and not self.events[phase]:
                near = difflib.get_close_matches(phase, self.events, 1)
                meant = f"; there is `{near[0]}`" if near else ""
                self.tell(
                    "absent",
                    number,
                    f"no `{phase}` among {sum(self.events.values())} events{meant}",
                    "at least one",
                    (phase, ""),
                )
        last = self.rules.last
        if last is not None and self.events[last] and self.last_phase != last:
            self.tell("order", number, f"`{self.last_phase}` comes last", f"`{last}` as the last event", (last, "last"))
        for (opens, value), line in self._open.items():
            self.tell(
                "order", line, f"`{opens}` of {value} is never closed", "an end for each beginning", (opens, "open")
            )


def fits_number(kind: Any) -> bool:
    try:
        msgspec.convert(0.5, type=kind)
    except msgspec.ValidationError:
        return False
    return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _earlier(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return bool(one < other)
    try:
        return datetime.datetime.fromisoformat(str(one)) < datetime.datetime.fromisoformat(str(other))
    except (ValueError, TypeError):
        return False
