"""Does a change that is made to some examples make another class of them? A left hand becomes a right one.

The lines that the program runs as it reads an example are followed. A plain fit to the examples as they came to a line
is asked for the class of those that the line changed. A fit that merely does not know changed examples is wrong about
them too; but what has become another class is as near to the examples of that class as these are to one another.
"""

import math
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside.relations.following import Became, Looked, ReadingFollowed, Step, looked_at
from firstlight.observe.inside.relations.guessing import RIDGES
from firstlight.observe.inside.relations.in_order import BatchPlaces, same_values, tensors_of
from firstlight.observe.inside.relations.looks import looks
from firstlight.observe.inside.relations.neighbours import distances
from firstlight.observe.inside.relations.sample import AnswerMet, flat, parts_of
from firstlight.records.places import Site
from firstlight.records.stored import ClassesTurned

LEAST_EXAMPLES, MOST_EXAMPLES = 128, 384
FIRST = 32
"""Examples, of which some must have been changed."""
LEAST_CHANGED = 16
LEAST_OF_A_CLASS = 6
NEAREST = 3
FAR = 5.0
LEAST_SPREAD = 0.05
"""Of the usual deviation of a value, for those that hardly ever vary."""
CANDIDATES = 3
"""Pairs of classes that are looked at closely."""
SECONDS = 1.6
"""Of computing, from the first example that is read."""
MOST = 0.5
"""Of the changed examples of a class; of lines and classes where so many are taken for another, the nearest is told."""
AGAIN = 64
"""Examples that are read again, to see whether their answers stay."""
LEAST_OUTLYING = 0.3
"""Of the usual deviation, for values that hardly vary within a class."""
OUTLYING = 8
"""The power by which the farthest values of an example count most."""


class TakenFor(NamedTuple):
    first: int
    second: int
    taken: float
    apart: float
    right: float
    chosen: int


def classes_turned(loader: Any, places: BatchPlaces) -> ClassesTurned:
    """Of the line for which that is clearest."""
    dataset, end = loader.dataset, time.process_time() + SECONDS
    if isinstance(dataset, torch.utils.data.TensorDataset | torch.utils.data.IterableDataset):
        return ClassesTurned()
    followed, items = _read(dataset)
    parts = _answers(loader, places, items) if len(items) >= LEAST_EXAMPLES else []
    if len(parts) != 1 or parts[0].classes < 2 or not _answers_stay(loader, places, items):
        return ClassesTurned()
    found: list[ClassesTurned] = []
    for step in sorted(followed.steps.values(), key=lambda one: len(one.rows) >= len(items)):
        if time.process_time() < end:
            found += _of_step(step, followed.firsts.get(step.kind, {}), parts[0])
    return min(found, key=lambda one: (one.taken < MOST, one.apart), default=ClassesTurned())


class BatchesChanged:
    """What the program makes of a batch, between the loader that gives it and the model."""

    def __init__(self) -> None:
        self._step: Step | None = None
        self._answers: list[torch.Tensor] = []

    @property
    def any(self) -> bool:
        return self._step is not None and any(pair.other for pair in self._step.made)

    def add(self, given: torch.Tensor, answer: torch.Tensor, batch: Sequence[torch.Tensor], site: Site | None) -> None:
        """Where the answers are those of the loader."""
        same = (one for one in batch if one.shape == given.shape and one.dtype == given.dtype)
        source = next(same, None)
        told = len(answer) == len(given) and any(same_values(one, answer) for one in batch)
        if source is None or not told or sum(map(len, self._answers)) >= MOST_EXAMPLES:
            return
        looked = zip(map(looked_at, source), map(looked_at, given), strict=True)
        pairs = [Became(one, other) for one, other in looked if one is not None and other is not None]
        if len(pairs) == len(given):
            self._step = self._step or Step(site, "the training loop", pairs[0].before.kind)
            self._step.rows += range(len(self._step.rows), len(self._step.rows) + len(pairs))
            self._step.made += pairs
            self._answers.append(flat(answer.reshape(len(answer), -1)))

    def turned(self) -> ClassesTurned:
        parts = parts_of(torch.cat(self._answers)) if self._answers else []
        if self._step is None or len(parts) != 1 or parts[0].classes < 2:
            return ClassesTurned()
        return next(_of_step(self._step, {}, parts[0]), ClassesTurned())


def _rows(dataset: Any) -> list[int]:
    found: list[int] = torch.linspace(0, len(dataset) - 1, min(MOST_EXAMPLES, len(dataset))).long().tolist()
    return found


def _read(dataset: Any) -> tuple[ReadingFollowed, list[Any]]:
    followed = ReadingFollowed()
    items: list[Any] = []
    for row in _rows(dataset):
        followed.row = len(items)
        try:
            sys.settrace(followed)
            item = dataset[row]
        finally:
            sys.settrace(None)
        if followed.spent:
            break
        items.append(item)
        if len(items) == FIRST and not any(pair.other for step in followed.steps.values() for pair in step.made):
            break
    return followed, items


def _answers(loader: Any, places: BatchPlaces, items: list[Any]) -> list[AnswerMet]:
    answer = _answer(loader, places, items)
    return parts_of(flat(answer.reshape(len(answer), -1))) if len(answer) == len(items) else []


def _answer(loader: Any, places: BatchPlaces, items: list[Any]) -> torch.Tensor:
    return tensors_of(loader.collate_fn(items))[places.answer]


def _answers_stay(loader: Any, places: BatchPlaces, items: list[Any]) -> bool:
    """Or else they are changed together with the examples, on purpose."""
    again = [loader.dataset[row] for row in _rows(loader.dataset)[:AGAIN]]
    return torch.equal(_answer(loader, places, items[: len(again)]), _answer(loader, places, again))


def _of_step(step: Step, firsts: Mapping[int, Looked], answer: AnswerMet) -> Iterator[ClassesTurned]:
    came = {**firsts, **{row: pair.before for row, pair in zip(step.rows, step.made, strict=True)}}
    rows = sorted(row for row in came if row < len(answer.values))
    others = [
        (rows.index(row), pair.after)
        for row, pair in zip(step.rows, step.made, strict=True)
        if pair.other and row < len(answer.values)
    ]
    if len(others) < LEAST_CHANGED or len(rows) < LEAST_EXAMPLES:
        return
    own = torch.tensor([place for place, _ in others])
    before = torch.stack([came[row].values for row in rows])
    after = torch.stack([one.values for _, one in others])
    classes = answer.values.long()[torch.tensor(rows)]
    seen = (_of_look(*pair, own, classes, answer.classes) for pair in looks(before, after, step.kind))
    known = [one for one in seen if one is not None]
    if known:
        told = max(known, key=lambda one: one.right)
        called = answer.kinds or tuple(range(answer.classes))
        yield ClassesTurned(
            name=step.name,
            site=step.site,
            share=len(own.unique()) / len(rows),
            kept=told.right,
            pair=(called[told.first], called[told.second]),
            examples=int((classes[own] == told.first).sum()),
            taken=told.taken,
            carried=told.chosen / int((classes == told.first).sum()),
            apart=told.apart,
        )


def _of_look(
    before: torch.Tensor, after: torch.Tensor, own: torch.Tensor, classes: torch.Tensor, count: int
) -> TakenFor | None:
    """`after` is what became of the examples at the places `own`."""
    here, there = _scaled(before, after)
    kept, said, right = _fitted(here, there, classes, count)
    share = (_shares(classes[own], said, count) - _shares(classes, kept, count)).fill_diagonal_(-1.0)
    found = []
    for place in share.flatten().argsort(descending=True)[:CANDIDATES].tolist():
        first, second = divmod(place, count)
        chosen, those = (classes[own] == first) & (said == second), classes == second
        if min(int(chosen.sum()), int(those.sum())) >= LEAST_OF_A_CLASS:
            apart = _apart(there[chosen], here[those])
            found.append(TakenFor(first, second, float(share[first, second]), apart, right, len(own[chosen].unique())))
    return min(found, key=lambda one: (one.taken < MOST, one.apart), default=None)


def _scaled(before: torch.Tensor, after: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """By what came to the line: what becomes of it may be of another scale, and is then unlike it."""
    spread = before.std(0).clamp_min(max(LEAST_SPREAD * float(before.std()), 1e-12))
    here, there = (((one - before.mean(0)) / spread).clamp(-FAR, FAR).double() for one in (before, after))
    return here, there


def _shares(classes: torch.Tensor, guesses: torch.Tensor, count: int) -> torch.Tensor:
    """For each class, how often each is guessed."""
    table = torch.zeros(count, count).index_put_((classes, guesses), torch.ones(len(classes)), accumulate=True)
    rows = table.sum(1, keepdim=True)
    return torch.where(rows >= LEAST_OF_A_CLASS, table / rows.clamp_min(1), 0.0)


def _apart(these: torch.Tensor, those: torch.Tensor) -> float:
    """The most of three: how far the nearest of those are, how far out single values lie, and how much nearer these are
    to one another, all over what is usual of those. Of what is only scaled down, nothing is far from anything."""
    own = _between(distances(those).clamp_min(0).sqrt())
    other = _between(torch.cdist(these, those))
    within = _between(distances(these).clamp_min(0).sqrt())
    some, others = those[::2], those[1::2]
    unit = some.std(0).clamp_min(LEAST_OUTLYING * float(some.std()))
    out, usual = (((one - some.mean(0)) / unit).norm(OUTLYING, dim=1).median() for one in (these, others))
    return max(float(other / own), float(out / usual), float(own / within)) if min(own, usual, within) > 0 else math.inf


def _between(apart: torch.Tensor) -> torch.Tensor:
    """Usual distance to the nearest ones."""
    return apart.topk(NEAREST, largest=False).values.mean(1).median()


def _fitted(
    here: torch.Tensor, there: torch.Tensor, classes: torch.Tensor, count: int
) -> tuple[torch.Tensor, torch.Tensor, float]:
    """What a fit says of each example by all others, and of changed ones; and how often it is right of the first."""
    code = torch.nn.functional.one_hot(classes, count).double()
    mean = code.mean(0)
    squares = distances(here).clamp_min(0).fill_diagonal_(0)
    width = squares.median().clamp_min(1e-12)
    sizes, vectors = torch.linalg.eigh(torch.exp(-squares / width))
    best, weights, guesses = -1.0, torch.zeros_like(code), classes
    for ridge in RIDGES:
        shrunk = 1 / (sizes.clamp_min(0) + ridge)
        found = vectors @ (shrunk[:, None] * (vectors.t() @ (code - mean)))
        own = (code - found / (vectors**2 @ shrunk)[:, None]).argmax(1)
        right = float((own == classes).double().mean())
        if right > best:
            best, weights, guesses = right, found, own
    said = torch.exp(-torch.cdist(there, here).pow(2) / width) @ weights + mean
    return guesses, said.argmax(1), best
