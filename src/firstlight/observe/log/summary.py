"""What a stretch of a log without a fault comes to: enough to tell whether it fits behind what came before it."""

from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import msgspec

from firstlight.observe.log.judging import Key, Writer
from firstlight.observe.log.shapes import PLAIN, Shapes
from firstlight.records.log import LogRules

WRITER_OF = attrgetter("rank", "timeline")
Known = tuple[str, tuple[str, ...]]
"""The field that tells events apart, and the kinds of them met so far."""


@dataclass(slots=True)
class Course:
    """One writer's lines, in which nothing goes back."""

    first: Writer
    last: Writer

    def follows(self, before: Writer, contiguous: frozenset[str]) -> bool:
        """TypeError where what was written before is of another type."""
        first = self.first
        if None not in (before.seq, first.seq) and first.seq <= before.seq:  # type: ignore[operator]  # not None
            return False
        if None not in (before.ts, first.ts) and first.ts < before.ts:
            return False
        return all(
            mark > before.marks[phase] and (phase not in contiguous or mark == before.marks[phase] + 1)
            for phase, mark in first.marks.items()
            if phase in before.marks
        )

    def added_to(self, before: Writer) -> Writer:
        last = self.last
        seq = before.seq if last.seq is None else last.seq
        return Writer(seq, before.ts if last.ts is None else last.ts, before.marks | last.marks, before.once)


@dataclass(frozen=True, slots=True)
class Summary:
    kinds: dict[str, int]
    last_phase: str
    courses: dict[Key, Course]


class Summarizer:
    """Made for the kinds of events a log has shown so far."""

    def __init__(self, rules: LogRules, known: Known) -> None:
        shapes = Shapes(rules, *known)
        paired = {name for opens, closes, _ in rules.pairs for name in (opens, closes)}
        once = {name for name, rule in rules.events.items() if rule.once}
        self._decoder, self._phases = shapes.decoder, shapes.phases
        self._slow = shapes.kinds({*paired, *once, *rules.resets})
        self.contiguous = frozenset(name for name in known[1] if rules.events.get(name, PLAIN).contiguous)
        self._contiguous = shapes.kinds(self.contiguous)

    def __call__(self, data: bytes, lines: int) -> Summary | None:
        """None where anything is out of the ordinary: that is looked at line by line."""
        if self._decoder is None:
            return None
        try:
            events: list[Any] = self._decoder.decode_lines(data)
            kinds = Counter(map(type, events))
            if len(events) != lines or not self._slow.isdisjoint(kinds):
                return None
            courses = self._courses(events)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError):
            return None
        if courses is None:
            return None
        named = {self._phases[kind]: count for kind, count in kinds.items()}
        return Summary(named, self._phases[type(events[-1])], courses)

    def _courses(self, events: list[Any]) -> dict[Key, Course] | None:
        found: dict[Key, Course] = {}
        parts = [events] if len(set(map(WRITER_OF, events))) == 1 else _by_writer(events)
        for own in parts:
            course = self._course(own)
            if course is None:
                return None
            found[str(own[0].rank), str(own[0].timeline)] = course
        return found

    def _course(self, events: list[Any]) -> Course | None:
        """The one loop over every event of a log."""
        first = Writer(_first(events, "seq"), _first(events, "ts"))
        last_seq, last_ts = -1 if first.seq is None else first.seq - 1, first.ts
        firsts: dict[type, Any] = {}
        marks: dict[type, Any] = {}
        contiguous = self._contiguous
        for event in events:
            if (seq := event.seq) is not None:
                if seq <= last_seq:
                    return None
                last_seq = seq
            if (ts := event.ts) is not None:
                if ts < last_ts:
                    return None
                last_ts = ts
            if (mark := event.mark) is not None:
                kind = type(event)
                if kind not in marks:
                    firsts[kind] = mark
                elif mark <= marks[kind] or (kind in contiguous and mark != marks[kind] + 1):
                    return None
                marks[kind] = mark
        first.marks = {self._phases[kind]: mark for kind, mark in firsts.items()}
        left = {self._phases[kind]: mark for kind, mark in marks.items()}
        return Course(first, Writer(None if first.seq is None else last_seq, last_ts, left))


def _first(events: list[Any], name: str) -> Any:
    return next((value for event in events if (value := getattr(event, name)) is not None), None)


def _by_writer(events: list[Any]) -> list[list[Any]]:
    parts: dict[tuple[Any, Any], list[Any]] = {}
    for event in events:
        parts.setdefault(WRITER_OF(event), []).append(event)
    return list(parts.values())
