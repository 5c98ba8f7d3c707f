"""Do examples that lie next to each other have like answers, and would they with the answers of other rows?"""

import math
import statistics
from collections.abc import Sequence

import torch
from msgspec.structs import replace

from firstlight.observe.inside.relations.sample import AnswerMet
from firstlight.records.relations import Neighbours

LEAST_EXAMPLES = 128
MOST_EXAMPLES = 1024
COUNT = 10
"""Neighbours of each example."""
DEALS = 16
OFFSETS = (-2, -1, 1, 2)
FEW = 10.0
"""Deviations below which it is asked how many there could be."""
DIRECTIONS = 5


def neighbours(
    table: torch.Tensor, answers: list[AnswerMet], moments: torch.Tensor, offsets: Sequence[int] = OFFSETS
) -> Neighbours:
    """Of the answer that neighbours agree on most. `moments` is the step and the row of each example."""
    if len(table) < LEAST_EXAMPLES:
        return Neighbours()
    near = _nearest(scaled(table[:MOST_EXAMPLES]))
    found = [_of_answer(near, answer, moments[:MOST_EXAMPLES], offsets) for answer in answers]
    best = max(found, key=lambda one: max(one.deviations, one.offset_deviations), default=Neighbours())
    if not (best.examples > 0 and best.deviations < FEW):
        return best
    return replace(best, could=_could(scaled(table[:MOST_EXAMPLES]), near, answers[found.index(best)]))


def fit(table: torch.Tensor, answer: AnswerMet) -> float:
    """Deviations by which examples that are alike have more alike answers than any two."""
    return _fit(_code(answer.values[:MOST_EXAMPLES], answer.classes), _nearest(scaled(table[:MOST_EXAMPLES])))


def _of_answer(near: torch.Tensor, answer: AnswerMet, moments: torch.Tensor, offsets: Sequence[int]) -> Neighbours:
    code = _code(answer.values[: len(near)], answer.classes)
    offset, moved = max(((by, _moved(code, moments, by)) for by in offsets), key=lambda pair: _likeness(pair[1], near))
    return Neighbours(
        examples=len(near),
        likeness=_likeness(code, near),
        deviations=_fit(code, near),
        offset=offset,
        offset_deviations=_fit(moved, near),
    )


def _could(table: torch.Tensor, near: torch.Tensor, answer: AnswerMet) -> float:
    """Where the same answers are dealt out along a direction in which examples differ; the median of several."""
    generator = torch.Generator().manual_seed(0)
    pairs = torch.randint(len(table), (DIRECTIONS, 2), generator=generator, device="cpu")
    found = []
    for one, other in pairs.tolist():
        dealt = torch.empty_like(answer.values[: len(table)])
        dealt[(table @ (table[one] - table[other])).argsort()] = answer.values[: len(table)].sort().values
        found.append(_fit(_code(dealt, answer.classes), near))
    return statistics.median(found)


def _code(values: torch.Tensor, classes: int) -> torch.Tensor:
    """Columns whose products say how alike two answers are, 0 in the mean: one a class, or the rank."""
    if classes:
        code = torch.nn.functional.one_hot(values.long(), classes).float()
    else:
        code = values.argsort().argsort().float()[:, None]
    code = code - code.mean(0)
    return code / code.pow(2).sum(1).mean().sqrt().clamp_min(1e-12)


def scaled(table: torch.Tensor) -> torch.Tensor:
    spread = table.std(0)
    moving = spread > 0
    return ((table - table.mean(0)) / spread.clamp_min(1e-12))[:, moving].clamp(-5, 5)


def distances(table: torch.Tensor) -> torch.Tensor:
    """The square of each, infinite from an example to itself."""
    squares = (table**2).sum(1)
    return (squares[:, None] + squares[None] - 2 * table @ table.t()).fill_diagonal_(math.inf)


def _nearest(table: torch.Tensor) -> torch.Tensor:
    return distances(table).topk(COUNT, largest=False).indices


def _likeness(code: torch.Tensor, near: torch.Tensor) -> float:
    return float((code[:, None] * code[near]).sum(-1).mean())


def _fit(code: torch.Tensor, near: torch.Tensor) -> float:
    """Deviations by which neighbours' answers are more alike than those of any two examples."""
    generator = torch.Generator().manual_seed(0)
    dealt = torch.tensor(
        [_likeness(code[torch.randperm(len(code), generator=generator, device="cpu")], near) for _ in range(DEALS)]
    )
    spread = float(dealt.std())
    return (_likeness(code, near) - float(dealt.mean())) / spread if spread > 0 else 0.0


def _moved(code: torch.Tensor, moments: torch.Tensor, by: int) -> torch.Tensor:
    """The answer of the row so many places on in the same batch; nothing where there are too few."""
    room = int(moments[:, 1].max()) + 2 * abs(by) + 1
    keys = moments[:, 0] * room + moments[:, 1] + abs(by)
    ordered, order = keys.sort()
    places = torch.searchsorted(ordered, keys + by).clamp_max(len(keys) - 1)
    known = ordered[places] == keys + by
    known &= int(known.sum()) >= LEAST_EXAMPLES
    return torch.where(known[:, None], code[order[places]], torch.zeros_like(code))
