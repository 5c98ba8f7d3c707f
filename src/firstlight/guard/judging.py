"""Rows in, red flags out: the windows are told of every step, the checks judge what the windows say."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from firstlight.checks.declare import Check
from firstlight.facts.live.windows import Seen, Windows
from firstlight.facts.sources import LIVE
from firstlight.findings.judge import stamp
from firstlight.records.declared import InvariantTried
from firstlight.records.finding import Finding, Severity
from firstlight.records.live import RoomTrack, Turned
from firstlight.records.telemetry import StepRow, Trip
from firstlight.settings import enabled, load

UNKNOWN = "unknown"
SHORTEST = {"steps": 16, "looks": 3}
"""No window tells anything before, whatever a check asks: its level is that of so many."""
COUNTS = ("steps", "looks", "evaluations", "batches", "samples")
"""Limits that say how much a check must have seen, and what facts call it."""
JUDGE_EVERY = 8
"""Steps between two judgements of the windows; a bad number is judged at once."""


def live_checks(ignore: tuple[str, ...], cwd: Path) -> tuple[Check, ...]:
    """Those that judge a live run, with the user's settings in place."""
    settings = load(cwd)
    chosen = msgspec.structs.replace(settings, ignore=(*settings.ignore, *ignore))
    return tuple(check for check in enabled(chosen) if check.needs in LIVE or check.needs is InvariantTried)


def has_enough(check: Check, fact: Any) -> bool:
    """Whether the window is as long as the check asks. Before, it is silent whatever the window holds."""
    for name in COUNTS:
        have = len(fact.values) if name == "evaluations" and hasattr(fact, "values") else getattr(fact, name, None)
        if isinstance(have, int) and have < max(getattr(check.limits, name, 0), SHORTEST.get(name, 0)):
            return False
    return True


class Judge:
    """One incident per cause: the first sighting is told, later ones are counted.

    What comes after an error, or while the gradients have not come back from a leap, belongs to the incident that is
    open: it is told under the flag that went up first.
    """

    def __init__(self, checks: Iterable[Check], rank: int = 0) -> None:
        self.checks = tuple(checks)
        self.windows = Windows(rank)
        self.incidents: dict[str, Finding] = {}
        """By cause; where none is known, by what is broken."""
        self.crashed: dict[str, str] = {}
        """Checks that failed, and how."""
        self._needs = frozenset(check.needs for check in self.checks)
        self._fresh = [check.name for check in self.checks if check.needs is Turned]  # each step answers these
        self._ready = set(self._fresh)
        self._skipped = 0
        self.step = 0
        """The last that was seen."""
        self.over = False
        """A bad number was seen: everything after it follows from it."""
        self._open: Finding | None = None
        """The flag of the incident that is open."""
        self._shaken = False
        """It is open as long as the gradients have not come back."""

    def is_due(self, look: int) -> bool:
        """At these looks every tensor is followed by itself and the windows are judged; the first is among them."""
        return look == 0 or look % JUDGE_EVERY == JUDGE_EVERY - 1

    def newly_ready(self) -> list[str]:
        """Checks that have had enough to judge by since this was last asked: only their silence is an answer."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def _is_ready(self, check: Check, fact: Any) -> None:
        if check.name not in self._ready and has_enough(check, fact):
            self._ready.add(check.name)
            self._fresh.append(check.name)

    def sees(self, row: StepRow, seen: Seen, due: bool) -> list[Trip]:
        self.step = row.step
        if self.over:
            return []
        facts = self.windows.sees(row, seen)
        told = self.windows.told(row.step, self._needs) if row.components else []
        if facts:
            self.over = any(check.needs is Turned for check in self.checks)
            return self.judge(facts)
        self._skipped += row.skipped
        due = due and not (row.skipped and self._skipped % JUDGE_EVERY)
        if due or self.windows.is_urgent(row):
            told += self.windows.facts(row.optimizer, self._needs)
        return self.judge(told)

    def told(self, row: StepRow) -> list[Trip]:
        """Of numbers that came without a step."""
        self.windows.hears(row.optimizer, row.components)
        return [] if self.over else self.judge(self.windows.told(row.step, self._needs))

    def looked(self, step: int) -> list[Trip]:
        return [] if self.over else self.judge(self.windows.looked(step, self._needs))

    def judge(self, facts: list[Any]) -> list[Trip]:
        found = [(trip, fact) for fact in facts for trip in self._judge(fact)]
        found.sort(key=lambda pair: (-pair[0].finding.severity.weight, pair[0].step))
        return [trip if _stands_alone(fact) else self._placed(trip) for trip, fact in found]

    def _placed(self, trip: Trip) -> Trip:
        """In the incident that is open, or at the head of one of its own."""
        if self._shaken and not self.windows.is_shaken:
            self._open, self._shaken = None, False
        if self._open is not None and trip.finding.severity.weight <= self._open.severity.weight:
            return msgspec.structs.replace(trip, since=self._open)
        shaken = self.windows.is_shaken
        if shaken or trip.finding.severity is Severity.ERROR:
            self._open, self._shaken = trip.finding, shaken and not self.over
        return trip

    def _judge(self, fact: Any) -> list[Trip]:
        trips = []
        for check in self.checks:
            if check.needs is not type(fact) or check.name in self.crashed:
                continue
            try:
                evidence = list(check.find(fact, check.limits))
            except Exception as error:  # noqa: BLE001  # one broken check must not take the guard, or the training, with it
                self.crashed[check.name] = f"{type(error).__name__}: {error}"
                continue
            self._is_ready(check, fact)
            for each in evidence:
                finding = stamp(check, each)
                if self._is_new(finding) or (isinstance(fact, Turned) and not _stands_alone(fact)):
                    trips.append(self._trip(finding, fact))
        return trips

    def _is_new(self, finding: Finding) -> bool:
        key = finding.cause if finding.cause != UNKNOWN else f"{finding.name}: {finding.where.module}"
        known = self.incidents.get(key)
        if known is None or finding.severity.weight > known.severity.weight:
            count = 1 if known is None else known.count + 1
            self.incidents[key] = msgspec.structs.replace(finding, count=count)
            return finding.severity is not Severity.NOTE
        self.incidents[key] = msgspec.structs.replace(known, count=known.count + 1)
        return False

    def _trip(self, finding: Finding, fact: Any) -> Trip:
        step = finding.where.step
        return Trip(
            finding=finding,
            step=getattr(fact, "step", self.step) if step is None else step,
            optimizer=getattr(fact, "optimizer", 0),
            parameter=getattr(fact, "name", None),
            module=finding.where.module,
            rank=fact.rank,
            numbers=finding.evidence,
        )


def _stands_alone(fact: Any) -> bool:
    """Rules of the user's, the disk, an evaluation the program told of: the training goes on as before."""
    return isinstance(fact, InvariantTried | RoomTrack) or (isinstance(fact, Turned) and fact.kind == "evaluation")
