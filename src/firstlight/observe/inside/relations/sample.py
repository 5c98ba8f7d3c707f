"""Training examples as they met their answers: a bounded sample by value, in the order they came."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from firstlight.observe.inside import reading, rows

MOST_EXAMPLES = 2048
MOST_VALUES = 1 << 21
"""Kept of one tensor: 8 MB."""
MOST_WIDTH = 1024
"""Values kept of an example; of a wider one so many, of an image its averages."""
MOST_PLACES = 64
"""Of rows of ids, which may be longer in one batch than in the next."""
MOST_NAMES = 8
"""Whole numbers of an example, up to which they are taken for names (of users, items, shops); a text has more."""
MOST_TENSORS = 3
MOST_PARTS = 8
"""Columns of an answer that are looked at one by one."""
MOST_CLASSES = 256
MOST_IDS = 4096
BUCKETS = 512
LEAST_OF_A_CLASS = 4
"""Examples of a class in the mean; where there are fewer, the numbers are no classes."""


@dataclass(frozen=True)
class AnswerMet:
    """One number for each example."""

    values: torch.Tensor
    classes: int
    """0 for values."""
    kinds: tuple[int, ...] = ()
    """What each class is called in the answers."""


class Sample:
    """Inputs and answers of one line, while their shapes stay the same. Rows of ids may change in length."""

    def __init__(self) -> None:
        self.shapes: tuple[tuple[int, ...], ...] = ()
        self.measured: tuple[bool, ...] = ()
        """For each input, and last for the answer: it is no id, class or count."""
        self.named = False
        """Some inputs are names. What is alike among those is not known before it is learnt."""
        self.cut = False
        """Of some inputs only a beginning is kept."""
        self.met = self.kept = 0
        self._inputs: list[list[torch.Tensor]] = []
        self._answers: list[torch.Tensor] = []
        self._moments: list[torch.Tensor] = []

    @property
    def full(self) -> bool:
        width = max((_width(shape) for shape in self.shapes), default=1)
        return self.kept >= min(MOST_EXAMPLES, MOST_VALUES // width)

    def add(self, inputs: Sequence[torch.Tensor], answer: torch.Tensor, step: int, origin: Sequence[int] = ()) -> None:
        """A batch of other shapes than the first is counted and not kept. `origin` are its rows in the dataset."""
        count = len(answer)
        given = taken(inputs, count)
        shapes = (*(_shape(t) for t in given), tuple(answer.shape[1:]))
        self.met += count
        self.shapes = self.shapes or shapes
        self.measured = self.measured or tuple(t.is_floating_point() for t in (*given, answer))
        if not given or shapes != self.shapes or self.full:
            return
        self.named = self.named or any(map(_is_name, given))
        self.cut = self.cut or any(_is_row_of_ids(t) and t.shape[1] > MOST_PLACES for t in given)
        self._inputs.append([_ids(tensor) if _is_row_of_ids(tensor) else flat(tensor) for tensor in given])
        self._answers.append(flat(answer))
        places = torch.tensor(origin) if len(origin) == count else torch.full((count,), -1)
        self._moments.append(torch.stack([torch.full((count,), step), torch.arange(count), places], 1))
        self.kept += count

    def has_answers_of(self, other: "Sample") -> bool:
        """As far as both go, in the same order."""
        least = min(self.kept, other.kept)
        return least > 0 and torch.equal(self.answer()[:least], other.answer()[:least])

    def inputs(self) -> list[torch.Tensor]:
        return [torch.cat(part) for part in zip(*self._inputs, strict=True)]

    def answer(self) -> torch.Tensor:
        return torch.cat(self._answers)

    def moments(self) -> torch.Tensor:
        """Step, row in the batch, and in the dataset of each example; -1 where the last is not known."""
        return torch.cat(self._moments)


def taken(inputs: Sequence[torch.Tensor], count: int) -> list[torch.Tensor]:
    """The inputs of which a sample keeps examples."""
    given = [t for t in inputs if t.ndim and len(t) == count and not t.is_complex() and reading.readable(t)]
    return [t for t in given if t.numel() > 0][:MOST_TENSORS]


def flat(tensor: torch.Tensor) -> torch.Tensor:
    """A row of numbers for each example, on the CPU, in memory of its own."""
    values = tensor.detach().to("cpu", torch.float32, copy=True)
    if values.ndim >= 4 and _width(tuple(values.shape[1:])) < values[0].numel():
        images = values.reshape(len(values), -1, *values.shape[-2:])
        side = max(2, math.isqrt(MOST_WIDTH // max(1, images.shape[1])))
        values = torch.nn.functional.adaptive_avg_pool2d(images, side)
    return rows.evenly(values.reshape(len(values), -1), MOST_WIDTH).clone()


def _ids(tensor: torch.Tensor) -> torch.Tensor:
    """Cut or filled up to the same length."""
    values = tensor.detach().to("cpu", torch.float32)
    return torch.nn.functional.pad(values, (0, MOST_PLACES))[:, :MOST_PLACES].clone()


def _is_row_of_ids(tensor: torch.Tensor) -> bool:
    return tensor.ndim == 2 and not tensor.is_floating_point()


def _is_name(tensor: torch.Tensor) -> bool:
    whole = not tensor.is_floating_point() and tensor.dtype not in (torch.bool, torch.uint8)
    return whole and tensor.ndim <= 2 and tensor[0].numel() <= MOST_NAMES


def _shape(tensor: torch.Tensor) -> tuple[int, ...]:
    """Of an example, as it is kept."""
    return (MOST_PLACES,) if _is_row_of_ids(tensor) else tuple(tensor.shape[1:])


def _width(shape: tuple[int, ...]) -> int:
    return min(MOST_WIDTH, max(1, math.prod(shape)))


def distinct(inputs: Sequence[torch.Tensor]) -> torch.Tensor:
    """The first of each group of equal examples, without those that are not finite."""
    known: dict[int, int] = {}
    for index, key in enumerate(rows.keys(inputs)):
        known.setdefault(key, index)
    chosen = torch.tensor(sorted(known.values()), dtype=torch.long)
    finite = torch.stack([torch.isfinite(tensor).all(1) for tensor in inputs]).all(0)
    return chosen[finite[chosen]]


def parts_of(answer: torch.Tensor) -> list[AnswerMet]:
    """The answer as numbers that vary and can be told one by one; empty where it is an image or a sequence."""
    if not len(answer) or not bool(torch.isfinite(answer).all()):
        return []
    if answer.shape[1] > 1 and _is_code(answer):
        return [_part(answer.argmax(1).float())]
    moving = [column for column in answer.t() if bool((column != column[0]).any())]
    return [_part(column) for column in moving] if answer.shape[1] <= MOST_PARTS else []


def _is_code(answer: torch.Tensor) -> bool:
    """One-hot rows."""
    return bool(((answer == 0) | (answer == 1)).all()) and bool((answer.sum(1) == 1).all())


def _part(values: torch.Tensor) -> AnswerMet:
    kinds, places = torch.unique(values, return_inverse=True)
    few = len(kinds) <= min(MOST_CLASSES, len(values) // LEAST_OF_A_CLASS)
    if len(kinds) > 1 and few and bool((kinds == kinds.round()).all()):
        return AnswerMet(places, len(kinds), tuple(int(kind) for kind in kinds))
    return AnswerMet(values, 0)


def features_of(given: torch.Tensor) -> torch.Tensor:
    """The columns as they are; for rows of ids also how often each occurs."""
    ids = given.shape[1] > 1 and bool(((given == given.round()) & (given >= 0)).all())
    if not ids or given.max() < 2 or given.max() >= MOST_IDS:  # codes and masks are features themselves
        return given
    buckets = (given.long() % BUCKETS).clamp_min(0)
    counts = torch.zeros(len(given), BUCKETS).scatter_add_(1, buckets, torch.ones_like(given))
    return torch.cat([given, counts.sqrt()], 1)
