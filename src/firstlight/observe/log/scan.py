"""Reads a log once, in constant memory: stretches without a fault at the decoder's speed, the others line by line."""

from collections import Counter
from collections.abc import Callable
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import msgspec

from firstlight.observe.log.judging import Key, Ledger, Writer
from firstlight.observe.log.shapes import PLAIN, Shapes
from firstlight.observe.log.stretches import LONGEST_LINE, Stretch, opened, stretches
from firstlight.records.log import LogRules, LogSeen

WRITER_OF = attrgetter("rank", "timeline")
MOST_SHAPES = 256
"""Kinds of events a log is expected to have; one with more is read line by line."""


class Scanner:
    def __init__(self, rules: LogRules) -> None:
        self.ledger = Ledger(rules)
        self.lines = self.bytes = 0
        self.rules = rules
        self._shapes = Shapes(rules, "phase")
        self._slow: frozenset[type] = frozenset()
        self._contiguous: frozenset[type] = frozenset()

    def read(self, stretch: Stretch) -> None:
        self.bytes += len(stretch.data)
        if stretch.too_long:
            self.lines += 1
            self.ledger.tell(
                "unreadable",
                stretch.line,
                f"a line of more than {LONGEST_LINE >> 20} MiB",
                "lines of at most 64 KiB",
                ("", "long"),
            )
        elif not (stretch.complete and self._quickly(stretch)):
            self._line_by_line(stretch)

    def _quickly(self, stretch: Stretch) -> bool:
        """Whether the stretch is free of faults; if not, nothing of it was noted."""
        decoder = self._shapes.decoder
        if decoder is None:
            return False
        try:
            events: list[Any] = decoder.decode_lines(stretch.data)
            kinds = Counter(map(type, events))
            writers = self._followed(events)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, TypeError, KeyError):
            return False
        if writers is None or len(events) != stretch.lines or not self._slow.isdisjoint(kinds):
            return False
        self.lines += stretch.lines
        self.ledger.writers |= writers
        self.ledger.events.update({self._shapes.phases[kind]: count for kind, count in kinds.items()})
        self.ledger.last_phase = self._shapes.phases[type(events[-1])]
        return True

    def _followed(self, events: list[Any]) -> dict[Key, Writer] | None:
        """The writers as these events leave them; None where one of them goes back, KeyError where one is new."""
        keys = set(map(WRITER_OF, events))
        parts = [events] if len(keys) == 1 else _by_writer(events)
        left: dict[Key, Writer] = {}
        for own in parts:
            key = (str(own[0].rank), str(own[0].timeline))
            left[key] = writer = self.ledger.writers[key].copy()
            if not self._rises(own, writer):
                return None
        return left

    def _rises(self, events: list[Any], writer: Writer) -> bool:
        """The one loop over every event of a log: anything out of the ordinary is left to the slow way."""
        phases, contiguous = self._shapes.phases, self._contiguous
        last_seq, last_ts = -1 if writer.seq is None else writer.seq, "" if writer.ts is None else writer.ts
        marks = {kind: writer.marks[phase] for kind, phase in phases.items() if phase in writer.marks}
        for event in events:
            if (seq := event.seq) is not None:
                if seq <= last_seq:
                    return False
                last_seq = seq
            if (ts := event.ts) is not None:
                if ts < last_ts:
                    return False
                last_ts = ts
            if (mark := event.mark) is not None:
                kind = type(event)
                last = marks[kind]
                if mark <= last or (kind in contiguous and mark != last + 1):
                    return False
                marks[kind] = mark
        writer.seq, writer.ts = last_seq, last_ts
        writer.marks |= {phases[kind]: mark for kind, mark in marks.items()}
        return True

    def _line_by_line(self, stretch: Stretch) -> None:
        lines = stretch.data.split(b"\n")
        for number, line in enumerate(lines[:-1] if stretch.complete else lines, stretch.line):
            self.lines += 1
            if not line.strip():
                continue
            phase = self.ledger.line(number, line, stretch.complete)
            if (
                phase is not None
                and phase not in self._shapes.phases.values()
                and len(self.ledger.events) <= MOST_SHAPES
            ):
                self._learn(phase, line)

    def _learn(self, phase: str, line: bytes) -> None:
        if not self._shapes.phases and b'"phase"' not in line:
            self._shapes = Shapes(self.rules, "event")
        self._shapes.know(phase)
        rules = self.rules
        paired = {name for opens, closes, _ in rules.pairs for name in (opens, closes)}
        once = {name for name, rule in rules.events.items() if rule.once}
        self._slow = self._shapes.kinds({*paired, *once, *rules.resets})
        known = self._shapes.phases.values()
        self._contiguous = self._shapes.kinds(n for n in known if rules.events.get(n, PLAIN).contiguous)


def _by_writer(events: list[Any]) -> list[list[Any]]:
    parts: dict[tuple[Any, Any], list[Any]] = {}
    for event in events:
        parts.setdefault(WRITER_OF(event), []).append(event)
    return list(parts.values())


def scan(path: Path, name: str, choose: Callable[[bytes], LogRules]) -> LogSeen:
    """`choose` says by which rules to read a log that begins with the bytes it is given."""
    with opened(path) as file:
        parts = stretches(file)
        first = next(parts, Stretch(1, b"", 0))
        scanner = Scanner(choose(first.data))
        for stretch in chain([first] if first.lines else [], parts):
            scanner.read(stretch)
    scanner.ledger.close(scanner.lines)
    return LogSeen(
        file=name,
        rules=scanner.rules.name,
        lines=scanner.lines,
        bytes=scanner.bytes,
        events=dict(scanner.ledger.events),
        faults=scanner.ledger.faults,
    )
