"""Is the score of an evaluation made of its own answers alone, or do those of evaluations before it go on in it?

What a model gave since its last step is one evaluation; what it gave before is kept in sums: examples, and the numbers
that each line took out of torch meanwhile, batch by batch. A program that adds up over all of it has a score of
weights that are no more. One that adds up over several models (folds), or over several sets between two steps, has a
reason to.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import torch

from firstlight.experiments.inside.averages import SAME, Phase
from firstlight.observe.inside import sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer, rank
from firstlight.records.carried import ScoreCarried
from firstlight.records.places import Site

MOST_SCORES = 16
LEAST_BATCHES = 2
"""Of an evaluation: single calls between steps are acting, sampling, labelling."""
TIMES = (1, 2, 100)
"""What a sum may be multiplied by: an overlap counts twice, a share may be given in percent."""
Place = Site | None
ROWS, BATCHES = "rows", "batches"


@dataclass
class _Before:
    """Of one model, over evaluations that are over."""

    evaluations: int = 0
    of: dict[Place | str, float] = field(default_factory=dict)


class MixedScores:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._before: ByIdentity[_Before] = ByIdentity()
        self._lines: dict[tuple[Place, bool], ScoreCarried | None] = {}
        """By whether examples are counted; None where that was once seen to be of one evaluation."""

    def training_goes_on(self, phases: Iterable[Phase]) -> None:
        for model, own in _by_model(phases):
            before = self._before.get(model, None)
            if before is None:
                self._before[model] = before = _Before()
            before.evaluations += 1
            for place, number in own.items():
                before.of[place] = before.of.get(place, 0.0) + number

    def divided(self, phases: Iterable[Phase], total: float | None, by: float | None) -> None:
        """One sum of what was taken from answers and targets by another, or by a number of examples."""
        known = list(phases)
        taken: set[Place | str] = {place for phase in known for place in phase.taken}
        if total is not None:
            self._judge(known, total, taken, TIMES)
        if by is not None:
            self._judge(known, by, {*taken, ROWS}, (1,))

    def counted(self, phases: Iterable[Phase], examples: int) -> None:
        """Answers and targets that a metric was computed of."""
        self._judge(list(phases), examples, {ROWS}, (1,))

    def _judge(self, phases: list[Phase], number: float, wanted: set[Place | str], times: tuple[int, ...]) -> None:
        """A line that once made a score of one evaluation alone, where others had been before it, is well for good."""
        for model, own in _by_model(phases):
            before = self._before.get(model, None)
            for place in wanted.intersection(own) if before is not None else ():
                assert before is not None
                earlier, parts = before.of.get(place, 0.0), [_sums(phase).get(place, 0.0) for phase in phases]
                if not earlier or not own[place]:
                    continue
                if any(_is(number, part, times) for part in (own[place], *parts)):
                    self._lines[sites.caller(), place == ROWS] = None
                elif own[BATCHES] >= LEAST_BATCHES and _is(number, earlier + own[place], times):
                    self._note(place, earlier, own[place], before.evaluations + 1)

    def _note(self, place: Place | str, earlier: float, own: float, evaluations: int) -> None:
        site = sites.caller()
        key = (site, place == ROWS)
        line = self._lines.get(key)
        if line is None and (key in self._lines or len(self._lines) >= MOST_SCORES):
            return
        self._lines[key] = ScoreCarried(
            step=self.observer.step,
            rank=rank(),
            site=site,
            of_examples=place == ROWS,
            counted=earlier + own,
            own=own,
            evaluations=evaluations,
            times=1 if line is None else line.times + (line.evaluations != evaluations),
        )

    def seen(self) -> Iterator[ScoreCarried]:
        yield from (line for line in self._lines.values() if line is not None)


def _is(number: float, wanted: float, times: tuple[int, ...] = TIMES) -> bool:
    return bool(wanted) and any(math.isclose(number, factor * wanted, rel_tol=SAME) for factor in times)


def _sums(phase: Phase) -> dict[Place | str, float]:
    """A line that takes one number of a whole evaluation takes its score, and scores may be averaged."""
    batches = len(phase.batches)
    each: dict[Place | str, float] = {place: total for place, (many, total) in phase.taken.items() if many >= batches}
    return {**each, ROWS: sum(phase.batches), BATCHES: batches}


def _by_model(phases: Iterable[Phase]) -> Iterator[tuple[torch.nn.Module, dict[Place | str, float]]]:
    """All that it gave since the last step, whichever way it was called."""
    found: dict[int, tuple[torch.nn.Module, dict[Place | str, float]]] = {}
    for phase in phases:
        model = phase.model() if phase.model is not None else None
        if model is None or not phase.batches:
            continue
        sums = found.setdefault(id(model), (model, {}))[1]
        for place, number in _sums(phase).items():
            sums[place] = sums.get(place, 0.0) + number
    yield from found.values()
