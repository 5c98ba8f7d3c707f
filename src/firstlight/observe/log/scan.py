"""Reads a log once, in constant memory: stretches without a fault at the decoder's speed, the others line by line."""

from collections.abc import Callable
from itertools import chain
from pathlib import Path

from firstlight.observe.log.ahead import ahead
from firstlight.observe.log.judging import Ledger
from firstlight.observe.log.stretches import LONGEST_LINE, Stretch, opened, stretches
from firstlight.observe.log.summary import Known, Summarizer, Summary
from firstlight.records.log import LogRules, LogSeen

MOST_SHAPES = 256
"""Kinds of events a log is expected to have; one with more is read line by line."""


class Scanner:
    def __init__(self, rules: LogRules) -> None:
        self.ledger = Ledger(rules)
        self.lines = self.bytes = 0
        self.rules = rules
        self.known: Known = ("phase", ())
        self._summarizer = Summarizer(rules, self.known)

    def read(self, stretch: Stretch, summary: Summary | None = None) -> None:
        """`summary`: where somebody made it already."""
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
        elif not (stretch.complete and self._adds(stretch, summary or self._summarizer(stretch.data, stretch.lines))):
            self._line_by_line(stretch)

    def _adds(self, stretch: Stretch, summary: Summary | None) -> bool:
        """Whether the stretch is free of faults; if not, nothing of it was noted."""
        if summary is None:
            return False
        writers, contiguous = self.ledger.writers, self._summarizer.contiguous
        try:
            fits = all(course.follows(writers[key], contiguous) for key, course in summary.courses.items())
        except (KeyError, TypeError):  # somebody new, or other types than before
            return False
        if fits:
            self.lines += stretch.lines
            self.ledger.writers |= {key: course.added_to(writers[key]) for key, course in summary.courses.items()}
            self.ledger.events.update(summary.kinds)
            self.ledger.last_phase = summary.last_phase
        return fits

    def _line_by_line(self, stretch: Stretch) -> None:
        lines = stretch.data.split(b"\n")
        for number, line in enumerate(lines[:-1] if stretch.complete else lines, stretch.line):
            self.lines += 1
            if not line.strip():
                continue
            phase = self.ledger.line(number, line, stretch.complete)
            if phase is not None and phase not in self.known[1] and len(self.ledger.events) <= MOST_SHAPES:
                self._learn(phase, line)

    def _learn(self, phase: str, line: bytes) -> None:
        tag_field, phases = self.known
        if not phases and b'"phase"' not in line:
            tag_field = "event"
        self.known = (tag_field, tuple(sorted((*phases, phase))))
        self._summarizer = Summarizer(self.rules, self.known)


def scan(path: Path, name: str, choose: Callable[[bytes], LogRules]) -> LogSeen:
    """`choose` says by which rules to read a log that begins with the bytes it is given."""
    with opened(path) as file:
        parts = stretches(file)
        first = next(parts, Stretch(1, b"", 0))
        scanner = Scanner(choose(first.data))
        every = chain([first] if first.lines else [], parts)
        for stretch, summary in ahead(every, file, scanner.rules, lambda: scanner.known):
            scanner.read(stretch, summary)
    scanner.ledger.close(scanner.lines)
    return LogSeen(
        file=name,
        rules=scanner.rules.name,
        lines=scanner.lines,
        bytes=scanner.bytes,
        events=dict(scanner.ledger.events),
        faults=scanner.ledger.faults,
    )
