"""What another reward changed: what a copy that was given it tells of its losses, beside those of the original."""

import itertools
import json
import os
import signal
from dataclasses import dataclass, field
from statistics import median

from firstlight.records.dealings import ACTIONS, VALUES
from firstlight.records.places import Site

LEAST = 1e-3
"""Of a unit of reward: what changes less is rounding."""
PLAIN = 0.5
"""Of the largest change: a mean or a deviation that is kept of all rewards changes others a little."""
OUTSTANDING = 20.0
"""Times the usual change of a weight, that the largest must be to come from the reward itself."""
LEAST_ROWS = 6
LEAST_NEW, MOST_EPOCHS = 8, 20
"""Exchanges between two updates, and how often each is looked at, where nothing older is."""
MOST_HEARD = 1 << 20
"""Bytes at once."""
Vectors = dict[str, list[float]]
States = dict[str, list[tuple[int, ...]]]
"""For each number of a vector the states that it may belong to; none where they are not known."""


@dataclass
class Backward:
    exchanges: int
    site: Site | None
    vectors: Vectors
    states: States = field(default_factory=dict)


@dataclass
class NudgedCopy:
    pid: int
    read: int
    first: int
    """The backward of the original with which its own begin."""
    unit: float
    """By how much its reward differs."""
    backwards: list[Vectors] = field(default_factory=list)
    """What it has told of its own, so far."""
    over: bool = False
    _heard: bytes = b""

    def listen(self) -> None:
        """Takes what it tells now; nothing more, where it has ended."""
        part = os.read(self.read, MOST_HEARD)
        *lines, self._heard = (self._heard + part).split(b"\n")
        self.backwards += map(json.loads, lines)
        if not part:
            self.leave()

    def leave(self) -> None:
        if not self.over:
            self.over = True
            os.close(self.read)
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)

    def decides(self, own: list[Backward]) -> bool:
        """Something differed from what the original has seen, and both dealt with the environment again since."""
        both = list(zip(own, self.backwards, strict=False))
        first = next((mine.exchanges for mine, theirs in both if self._differs(mine.vectors, theirs)), None)
        return self.over or (first is not None and both[-1][0].exchanges != first)

    def _differs(self, ours: Vectors, theirs: Vectors) -> bool:
        least = LEAST * abs(self.unit)
        pairs = [(ours.get(kind, []), theirs.get(kind, [])) for kind in (VALUES, ACTIONS)]
        return any(abs(a - b) > least for mine, other in pairs for a, b in zip(mine, other, strict=False))


@dataclass
class Changes:
    found: dict[str, list[float]]
    rows: dict[str, int]
    site: Site | None = None
    rollouts: int = 0
    """Times that what the environment gave since the last time was looked at whole, once or in a few epochs."""
    together: bool = False
    """Both kinds were told at the backward at which the first difference came."""
    states: States = field(default_factory=lambda: {VALUES: [], ACTIONS: []})
    """Of numbers that differ plainly, and below, all that were looked at then."""
    around: States = field(default_factory=lambda: {VALUES: [], ACTIONS: []})
    _acted_on: set[tuple[int, ...]] = field(default_factory=set)

    def looks_first_at(self, mine: Backward, places: list[int]) -> list[int]:
        """Those whose action was not looked at before: later, a ratio may be clipped in one of the copies."""
        states = mine.states.get(ACTIONS, [])
        found = [at for at in places if at < len(states) and states[at] not in self._acted_on]
        self._acted_on.update(states)
        return found


def changes(copy: NudgedCopy, own: list[Backward]) -> Changes:
    """The first differences, and those of the answers until the program deals with its environment again."""
    made = Changes({VALUES: [], ACTIONS: []}, {VALUES: 0, ACTIONS: 0})
    since = None
    for mine, theirs in zip(own, copy.backwards, strict=False):
        if since is not None and mine.exchanges != since:
            break
        for kind in (VALUES, ACTIONS):
            ours, other = mine.vectors.get(kind, []), theirs.get(kind, [])
            if len(ours) != len(other):
                continue
            if kind == ACTIONS:
                _add_states(made, kind, mine, made.looks_first_at(mine, _outstanding(ours, other)))
                if since is not None:
                    continue
            made.rows[kind] += len(ours)
            size = sum(map(abs, ours)) / len(ours) if kind == ACTIONS and ours else 1.0
            found = _differences(ours, other, LEAST * abs(copy.unit) * size)
            made.found[kind] += [one / copy.unit for one in found.values()]
            if kind == VALUES:
                _add_states(made, kind, mine, _plain(found))
        if since is None and any(made.found.values()):
            since, made.site = mine.exchanges, mine.site
            made.together = all(mine.vectors.get(kind) for kind in (VALUES, ACTIONS))
    made.rollouts = _rollouts(own[: len(copy.backwards)])
    return made


def _add_states(made: Changes, kind: str, mine: Backward, places: list[int]) -> None:
    states = mine.states.get(kind, [])
    if places and len(states) == len(mine.vectors.get(kind, [])):
        made.states[kind] += [states[at] for at in places]
        made.around[kind] += filter(None, states)


def _plain(found: dict[int, float]) -> list[int]:
    most = max(map(abs, found.values()), default=0.0)
    return [at for at, one in found.items() if abs(one) > PLAIN * most]


def _outstanding(ours: list[float], other: list[float]) -> list[int]:
    """Weights are standardised together, and after a step the two copies differ a little everywhere."""
    found = {at: b - a for at, (a, b) in enumerate(zip(ours, other, strict=True)) if a != b}
    usual = median([abs(b - a) for a, b in zip(ours, other, strict=True)] or [0.0])
    return _plain(found) if max(map(abs, found.values()), default=0.0) > OUTSTANDING * usual else []


def _rollouts(backwards: list[Backward]) -> int:
    found, before = 0, None
    for exchanges, group in itertools.groupby(backwards, key=lambda one: one.exchanges):
        rows = sum(len(one.vectors.get(ACTIONS, ())) for one in group)
        new = exchanges - before if before is not None else 0
        found += new >= LEAST_NEW and rows > 0 and rows % new == 0 and rows // new <= MOST_EPOCHS
        before = exchanges
    return found


def _differences(ours: list[float], other: list[float], least: float) -> dict[int, float]:
    """By their places, without what all examples have in common, as where they are standardised together."""
    plain = [b - a for a, b in zip(ours, other, strict=True)]
    differing = _larger(plain, least)
    if len(differing) <= len(plain) / 2 or len(plain) < LEAST_ROWS:
        return differing
    best = plain
    chosen = sorted({round(at * (len(ours) - 1) / 15) for at in range(16)})
    for first in chosen:
        for second in chosen:
            if abs(ours[first] - ours[second]) > least:
                slope = (other[first] - other[second]) / (ours[first] - ours[second])
                left = [b - other[first] - slope * (a - ours[first]) for a, b in zip(ours, other, strict=True)]
                if sum(abs(one) <= least for one in left) > max(len(left) / 2, sum(abs(one) <= least for one in best)):
                    best = left
    return _larger(best, least)


def _larger(numbers: list[float], least: float) -> dict[int, float]:
    return {at: one for at, one in enumerate(numbers) if abs(one) > least}
