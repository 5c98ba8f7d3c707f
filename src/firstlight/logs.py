"""Composition root for event logs: reads one, judges it, and reports."""

import time
from collections.abc import Sequence
from pathlib import Path

from firstlight.checks.declare import Check
from firstlight.facts.sources import READ_FROM_LOG
from firstlight.findings.gather import order
from firstlight.findings.judge import Judgement, judge
from firstlight.judge.report import report, timing_since
from firstlight.observe.log.scan import scan
from firstlight.records.log import LogSeen
from firstlight.records.report import Coverage, Report, Subject
from firstlight.store.log_rules import fitting, rules
from firstlight.store.run_directory import shown


def validate(path: Path, required: str | None, checks: Sequence[Check]) -> Report:
    """`required` is a built-in set of rules or a file of them; None takes those that fit the log."""
    begun = time.monotonic()
    wanted = None if required is None else rules(required)
    log = scan(path, shown(path), lambda start: wanted or fitting(start))
    judged = judge([check for check in checks if check.needs in READ_FROM_LOG], [log], trained=True)
    timing = timing_since(begun)
    return report(
        Subject(kind="event-log", command=("log", "validate", str(path)), file=log.file),
        Judgement(order(judged.findings, frozenset()), judged.outcomes),
        Coverage(seconds=timing.seconds, ended=_told(log), limits=(_LIMIT,)),
        timing,
        None if log.events or log.faults else "the log holds no event",
    )


_LIMIT = "the log was read, not the run: whether the numbers in it are right is not judged"


def _told(log: LogSeen) -> str:
    kinds = len(log.events)
    return f"{log.lines:,} lines, {log.bytes:,} bytes, {kinds} kinds of events, read by the rules `{log.rules}`"
