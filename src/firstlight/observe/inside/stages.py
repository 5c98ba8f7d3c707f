"""The stages of a training, told apart by what they evaluate: a fold of a cross-validation holds other examples back.

A stage begins where an evaluation comes upon other examples than the last one at the same place did, and what was
trained on in between belongs to it. Stages are compared as long as the weights live on.
"""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, islice, product
from typing import NamedTuple

import torch

from firstlight.observe.inside.feed import LEAST_BATCH
from firstlight.observe.inside.rescaled import Rescaled

MOST_STAGES = 6
"""A program that evaluates on other examples each time has none."""
MOST_EXAMPLES = 50_000
MOST_VALUES = 1 << 19
"""Of the rows that one stage keeps, on either side."""
MOST_ROWS = 2048
SAME = 0.5
"""Share of the smaller of two evaluations that both hold, from which on they are of the same examples."""
REPEATED = 0.05
"""Share of the examples of a stage; where more come again as they were, nothing was rescaled."""


class Examples:
    """By the key of all values, by the row of the dataset where that is known, and a few by value."""

    def __init__(self) -> None:
        self.keys: set[int] = set()
        self.rows: set[int] = set()
        self.kept: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        """What is changed at random as it is read has as many keys as it is read times."""
        return len(self.rows) or len(self.keys)

    def add(self, batch: "BatchGiven", known: "Examples | None" = None) -> None:
        """Those that are known already need not be kept by value once more."""
        if len(self.keys) < MOST_EXAMPLES:
            self.rows.update(batch.rows)
            if batch.table is not None:
                self._keep(batch.table, batch.keys, {} if known is None else known.kept)
            self.keys.update(batch.keys)

    def _keep(self, table: torch.Tensor, keys: list[int], known: Container[int]) -> None:
        room = min(MOST_ROWS, MOST_VALUES // max(1, table.shape[1])) - len(self.kept)
        new = [row for row, key in enumerate(keys[: len(table)]) if key not in self.keys and key not in known]
        if new and room > 0:
            copied = table[new[:room]].to("cpu", torch.float32, copy=True)
            self.kept.update((keys[row], one) for row, one in zip(new, copied, strict=False))

    def table(self) -> torch.Tensor | None:
        rows = list(self.kept.values())
        return torch.stack(rows) if rows and len({len(row) for row in rows}) == 1 else None

    def join(self, other: "Examples") -> None:
        self.keys |= other.keys
        self.rows |= other.rows
        room = MOST_ROWS - len(self.kept)
        self.kept.update(islice(((key, row) for key, row in other.kept.items() if key not in self.kept), room))

    def known_in(self, other: "Examples") -> float:
        """The share of them that is in the other."""
        by_key = len(self.keys & other.keys) / max(1, len(self.keys))
        return max(by_key, len(self.rows & other.rows) / max(1, len(self.rows)))

    def is_like(self, other: "Examples") -> bool:
        return max(self.known_in(other), other.known_in(self)) >= SAME


class BatchGiven(NamedTuple):
    keys: list[int]
    rows: list[int]
    """Of the dataset; empty where they are not known."""
    table: torch.Tensor | None
    """The examples by value, where they are small."""
    step: int


@dataclass
class Stage:
    """What it trained on, and what it evaluated, by the number of the evaluation."""

    trained: Examples = field(default_factory=Examples)
    held: dict[int, Examples] = field(default_factory=dict)
    began: int = 0
    ended: int = 0
    moment: int = 0
    """Of the weights, when it first evaluated."""


class Compared(NamedTuple):
    """Shares: of what the later stage evaluated, trained on in the earlier one; the other way round; and of either,
    trained on in its own stage."""

    earlier: int
    later: int
    parts: tuple[int, int]
    before: float
    after: float
    now: tuple[float, float]
    rescaled: bool = False

    @property
    def exchanged(self) -> float:
        """Higher where both changed places, and neither is trained on while it is evaluated."""
        return min(self.before, self.after) - max(self.now)


class Stages:
    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self._next = Stage()
        """What was trained on, and then evaluated, since the last stage that is known."""
        self._told: list[list[Stage]] = []
        """Stages of weights that are gone."""

    @property
    def moment(self) -> int | None:
        """Of the weights, when the stage they are in first evaluated."""
        return self.stages[-1].moment if self.stages else self._next.moment if self._next.held else None

    def train(self, batch: BatchGiven) -> None:
        self._settle()
        if len(self.stages) <= MOST_STAGES:
            self._next.began = self._next.began if self._next.trained.keys else batch.step
            self._next.ended = batch.step
            self._next.trained.add(batch, self.stages[-1].trained if self.stages else None)

    def evaluate(self, batch: BatchGiven, part: int, moment: int) -> None:
        if len(batch.keys) >= LEAST_BATCH and len(self.stages) <= MOST_STAGES:
            self._next.moment = self._next.moment if self._next.held else moment
            self._next.held.setdefault(part, Examples()).add(batch)

    def begin_anew(self) -> None:
        """The weights know nothing of what was trained on."""
        self._settle()
        if len(self.stages) > 1 and not self._told:
            self._told.append(self.stages)
        self.stages, self._next = [], Stage()

    def _settle(self) -> None:
        """Training goes on: was it a stage of its own?"""
        if not self._next.held:
            return
        last = self.stages[-1] if self.stages else None
        if last is None or _is_another(last, self._next):
            self.stages.append(self._next)
        else:
            last.trained.join(self._next.trained)
            last.ended = self._next.ended
            for part, examples in self._next.held.items():
                last.held.setdefault(part, Examples()).join(examples)
        self._next = Stage()

    def compared(self) -> tuple[Compared, list[Stage]] | None:
        """The two stages that most exchanged what they train on and what they hold back."""
        self._settle()
        found = [(one, stages) for stages in (*self._told, self.stages) for one in _compared(stages)]
        return max(found, key=lambda pair: pair[0].exchanged, default=None)


def _is_another(last: Stage, coming: Stage) -> bool:
    """At places that evaluated before, other examples come; or, at new ones, none that were evaluated elsewhere."""
    again = [part for part in coming.held if part in last.held]
    if again:
        return any(not coming.held[part].is_like(last.held[part]) for part in again)
    return not any(one.is_like(other) for one, other in product(coming.held.values(), last.held.values()))


def _compared(stages: list[Stage]) -> Iterator[Compared]:
    for i, j in combinations(range(min(len(stages), MOST_STAGES)), 2):
        here, there = stages[i], stages[j]
        if not here.trained.keys or not there.trained.keys:
            continue
        rescaled = _rescaled(here, there)
        for part, other in _pairs(here, there):
            ours, theirs = here.held[part], there.held[other]
            now = ours.known_in(here.trained), theirs.known_in(there.trained)
            exact = Compared(i, j, (part, other), theirs.known_in(here.trained), ours.known_in(there.trained), now)
            yield exact
            if rescaled is not None and (found := rescaled.compared(ours.table(), theirs.table())) is not None:
                before, after, ours_now, theirs_now = found
                both = max(now[0], ours_now), max(now[1], theirs_now)
                yield exact._replace(before=before, after=after, now=both, rescaled=True)


def _pairs(here: Stage, there: Stage) -> Iterable[tuple[int, int]]:
    """The same evaluation in both, where there is one."""
    same = [(part, part) for part in here.held if part in there.held]
    return same or product(here.held, there.held)


def _rescaled(here: Stage, there: Stage) -> Rescaled | None:
    first, second = here.trained.table(), there.trained.table()
    if first is None or second is None or there.trained.known_in(here.trained) > REPEATED:
        return None
    return Rescaled.of(first, second)
