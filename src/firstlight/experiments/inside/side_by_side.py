"""Predictions and answers that an evaluation puts side by side: are they of the same examples?

What a model put out and what its loader gave with the inputs are pairs. Wherever one vector of the program's holds the
predictions and another one the answers, they make pairs too, and these must be the same ones, in whatever order. What
was done to either on the way does not matter: they are known by their values.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from firstlight.experiments.inside.choices import MOST_ELEMENTS, extremes
from firstlight.experiments.inside.gathered import LEAST_NUMBERS, MOST_COLUMNS, Gathered, RowsGiven
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import rank
from firstlight.records.scoring import AnswersScored, PairsTorn

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

PAIRS = frozenset({"eq", "__eq__", "ne", "__ne__", "add", "__add__", "sub", "__sub__", "mse_loss", "l1_loss"})
"""Functions of torch that go through both sides row by row."""
MOST_PLACES = 48
MOST_TIMES = 256
"""On one line; further ones are like these."""
UNEXPLAINED = 1e-5
"""Of the square of sorted values, at most, that one factor and offset leave unexplained."""
FEW = 4
"""Rows for each different value, in the mean, from which on values are classes."""
BORDERS = (0.0, 0.5)
"""Above which an output, or a probability, is a yes."""
SAME = 0.98
"""Share of the pairs that are as they were, from which on all are: values that are nearly equal may change places."""
APART = 0.9
"""Share of the pairs that would be as they were if they were dealt at random, above which nothing can be told."""
RARE = 50.0
"""Ways in which as many rows fall into classes, beyond which other rows do not do so by chance."""
Way = tuple[tuple[str, int], ...]


class Vector(NamedTuple):
    values: torch.Tensor
    ranks: torch.Tensor
    """Whole numbers, equal for equal values: what rising functions leave as it is."""
    kinds: int

    @property
    def classes(self) -> bool:
        return self.kinds * FEW <= len(self.values)

    @property
    def rare(self) -> bool:
        """Vectors of other rows do not have as many of each value."""
        counts = torch.bincount(self.ranks).double().sort().values[:-1]
        return not self.classes or float((2 * math.pi * counts).sqrt().log().sum()) >= math.log(RARE)


class PairsMet(NamedTuple):
    torn: bool
    made: float = 0.0
    """How far both sides agree as they were made, and below, as they met."""
    met: float = 0.0


@dataclass
class _LineOfPairs:
    model: str
    how: str
    times: int = 0
    rows: int = 0
    fine: set[int] = field(default_factory=set)
    """Calls of the model, and below, those that met answers of other rows."""
    torn: set[int] = field(default_factory=set)
    torn_rows: int = 0
    made: float = 0.0
    """Sums over the rows that were torn."""
    met: float = 0.0

    def add(self, found: PairsMet, rows: int, calls: range) -> None:
        self.times += 1
        self.rows += rows
        (self.torn if found.torn else self.fine).update(calls)
        if found.torn:
            self.torn_rows += rows
            self.made += rows * found.made
            self.met += rows * found.met


class SideBySide:
    def __init__(
        self, observer: "Observer", gathered: Gathered, rests_on_answers: Callable[[torch.Tensor], bool]
    ) -> None:
        self.observer, self.gathered, self._rests_on_answers = observer, gathered, rests_on_answers
        self._asked: dict[Way, _LineOfPairs] = {}

    def meet(self, how: str, one: Any, other: Any) -> None:
        """Arrays, tensors, or lists: one of them may hold predictions, and the other one answers."""
        model, count = self.gathered.model, _count(one)
        if model is None or not LEAST_NUMBERS <= count == _count(other) <= MOST_ELEMENTS:
            return
        loaded = [given for given in self.gathered.of(count) if any(part.numel() == count for part in given.loaded)]
        if not loaded:
            return  # before anything is sorted: what a model adds up inside is no answer
        way = tuple(sites.way())
        asked = self._asked.get(way) or _LineOfPairs(type(model).__name__, how)
        if asked.times >= MOST_TIMES or (way not in self._asked and len(self._asked) >= MOST_PLACES):
            return
        first, second = vector(one), vector(other)
        if first is None or second is None:
            return
        for side, target, raw in ((first, second, other), (second, first, one)):
            if isinstance(raw, torch.Tensor) and self._rests_on_answers(raw):
                continue
            for given in loaded:
                if (found := paired(side, target, given, self.gathered.ends_with(given))) is not None:
                    self._asked[way] = asked
                    asked.add(found, count, given.calls)
                    return

    def seen(self) -> Iterator[AnswersScored]:
        for way, asked in self._asked.items():
            others = [one for one in self._asked.values() if one is not asked and one.how == asked.how]
            if asked.torn and way:
                yield AnswersScored(
                    step=self.observer.step,
                    rank=rank(),
                    site=sites.site_of(*way[0]),
                    model=asked.model,
                    times=asked.times,
                    answers=asked.rows,
                    least=0,
                    moved=asked.torn_rows,
                    torn=PairsTorn(made=asked.made / asked.torn_rows, met=asked.met / asked.torn_rows),
                    elsewhere=asked.torn <= set().union(*(one.fine for one in others)),
                )


def paired(side: Vector, target: Vector, given: RowsGiven, last: bool = True) -> PairsMet | None:
    """None where one of them is not what was predicted, or nothing is known of what was loaded with it.

    `last`: the model was not asked since, so that predictions in another order are looked for.
    """
    loaded = [vector(one) for one in given.loaded if one.numel() == len(side.values)]
    answers = [one for one in loaded if one is not None and _holds(target, one)]
    for predicted in _predictions(side, given.outputs) if answers else ():
        if torch.equal(side.ranks, predicted.ranks) or (last and side.rare and _holds(side, predicted)):
            found = [one for answer in answers if (one := _judged(side, target, predicted, answer)) is not None]
            if found:
                return min(found, key=lambda one: one.torn)
    return None


def _judged(side: Vector, target: Vector, predicted: Vector, answer: Vector) -> PairsMet | None:
    in_order = torch.equal(side.ranks, predicted.ranks), torch.equal(target.ranks, answer.ranks)
    if all(in_order):
        return PairsMet(torn=False)
    same, could = _shared(side, target, predicted, answer), _by_chance(predicted, answer)
    if same >= SAME:
        return PairsMet(torn=False)
    if not any(in_order):
        return None  # each may be sorted by itself, to compare how they are distributed
    if target.rare or (could <= APART and same < (1 + could) / 2):
        return PairsMet(torn=True, made=_agreement(predicted, answer), met=_agreement(side, target))
    return None


def _count(side: Any) -> int:
    """Of numbers; 0 where they are not in rows."""
    if isinstance(side, torch.Tensor):
        return side.numel() if side.ndim else 0
    return int(getattr(side, "size", 0)) if hasattr(side, "dtype") else len(side) if hasattr(side, "__len__") else 0


def vector(side: Any) -> Vector | None:
    """Of numbers that are not all the same."""
    try:
        tensor = torch.as_tensor(side).detach()
    except (TypeError, ValueError, RuntimeError):
        return None
    if not LEAST_NUMBERS <= tensor.numel() <= MOST_ELEMENTS or not reading.readable(tensor) or tensor.is_complex():
        return None
    values = tensor.cpu().double().reshape(-1)
    kinds, ranks = torch.unique(values, return_inverse=True)
    return Vector(values, ranks, len(kinds)) if len(kinds) > 1 and bool(torch.isfinite(kinds).all()) else None


def _predictions(side: Vector, outputs: list[torch.Tensor]) -> Iterator[Vector]:
    """What a vector of so many numbers may be of these outputs."""
    rows = len(side.values)
    for output in outputs:
        lines = [output] if output.numel() == rows else []
        if output.ndim > 1 and output.numel() == rows * output.shape[1] and output.shape[1] <= MOST_COLUMNS:
            lines += [output[:, column] for column in range(output.shape[1])]
            lines += [output[:, 1] - output[:, 0]] if output.shape[1] == len(BORDERS) else []
        lines += [line > border for line in lines for border in BORDERS] if side.kinds == len(BORDERS) else []
        lines += [best for best, _ in extremes([output], rows)]
        yield from (found for line in lines if (found := vector(line)) is not None and found.kinds == side.kinds)


def _holds(one: Vector, other: Vector) -> bool:
    """The same values, or a rising function of them, in whatever order."""
    if one.kinds != other.kinds:
        return False
    if torch.equal(one.ranks, other.ranks):
        return True
    if one.classes:
        return torch.equal(torch.bincount(one.ranks), torch.bincount(other.ranks))
    x, y = (torch.sort(side.values).values for side in (one, other))
    across, up = x - x.mean(), y - y.mean()
    left = up - (across * up).sum() / across.square().sum() * across
    return bool(left.square().sum() <= UNEXPLAINED * up.square().sum())


def _pairs(one: Vector, other: Vector) -> tuple[torch.Tensor, torch.Tensor]:
    pairs, counts = torch.unique(one.ranks * other.kinds + other.ranks, return_counts=True)
    return pairs, counts


def _shared(side: Vector, target: Vector, predicted: Vector, answer: Vector) -> float:
    """Of the pairs, those that there were as well."""
    (met, times), (made, counts) = _pairs(side, target), _pairs(predicted, answer)
    places = torch.searchsorted(made, met).clamp_max(len(made) - 1)
    return float(torch.where(made[places] == met, torch.minimum(times, counts[places]), 0).sum()) / len(side.values)


def _by_chance(one: Vector, other: Vector) -> float:
    """Of the pairs, those that there would be as well if either side were dealt at random."""
    pairs, counts = _pairs(one, other)
    first, second = torch.bincount(one.ranks).double(), torch.bincount(other.ranks).double()
    dealt = first[pairs // other.kinds] * second[pairs % other.kinds] / len(one.values)
    return float(torch.minimum(counts, dealt).sum()) / len(one.values)


def _agreement(one: Vector, other: Vector) -> float:
    if one.classes and other.classes:
        return float((one.values == other.values).double().mean())
    return float(torch.corrcoef(torch.stack([one.ranks, other.ranks]).double())[0, 1])
