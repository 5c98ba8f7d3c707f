"""Evaluated examples that are nearly one that was trained on: copied and made noisy, or measured twice.

By value, for examples of floating-point numbers: a near copy is closer to one training example than to the next ones by
an order of magnitude, and differs from it a little in many places. Rows of categories with one measured column differ
in that one alone, and are no copies.
"""

import math
from collections.abc import Mapping

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.preparing import MOST_PLACES, independent

MOST_VALUES = 1 << 21
"""Of training examples: 8 MB."""
MOST_TRAINED = 1 << 14
MOST_ASKED = 512
"""Evaluated examples."""
LEAST_TRAINED = 64
NEIGHBOURS = 5
NEARER, NEXT = 0.1, 0.3
"""Of the distance to the fifth neighbour: a near copy is within the first, and hardly anything between the two. Where
examples have few parameters, some are very near by chance, and then more of them are rather near."""
GAP = 0.25
"""Of the near ones, at most, that lie between."""
LEAST_SHARE = 0.05
"""Of the evaluated examples; less may be chance."""
LEAST_CHANGED = 4
"""Places that differ, and below, places that vary by themselves: in fewer, examples are near each other by chance."""
LEAST_INDEPENDENT = 4.0


class NearCopies:
    def __init__(self) -> None:
        self._trained: list[torch.Tensor] = []
        self._asked: list[torch.Tensor] = []
        self._known: set[int] = set()
        self._width = self._kept = 0
        self._share: tuple[tuple[int, int], float] = (0, 0), 0.0
        """The last answer, with how many examples it is of."""

    @property
    def asked(self) -> int:
        return sum(map(len, self._asked))

    def train(self, given: Mapping[str, torch.Tensor], keys: list[int]) -> None:
        table = table_of(given)
        if table is None or (self._width and table.shape[1] != self._width):
            return
        self._width = table.shape[1]
        room = min(MOST_TRAINED, MOST_VALUES // self._width) - self._kept
        if room <= 0:
            return
        new = [row for row, key in enumerate(keys[: len(table)]) if key not in self._known][:room]
        if new:
            self._known.update(keys[row] for row in new)
            self._trained.append(_copied(table[new]))
            self._kept += len(new)

    def evaluate(self, given: Mapping[str, torch.Tensor], keys: list[int], trained: set[int]) -> None:
        """Those of which no exact copy was trained on."""
        table = table_of(given)
        if table is None or table.shape[1] != self._width:
            return
        new = [row for row, key in enumerate(keys[: len(table)]) if key not in trained][: MOST_ASKED - self.asked]
        if new:
            self._asked.append(_copied(table[new]))

    def share(self) -> float:
        """Of the evaluated examples, those that are near copies."""
        if self._kept < LEAST_TRAINED or not self._asked:
            return 0.0
        if self._share[0] != (self._kept, self.asked):
            self._share = (self._kept, self.asked), self._compared()
        return self._share[1]

    def _compared(self) -> float:
        table, asked = torch.cat(self._trained), torch.cat(self._asked)
        spread = table.std(0)
        table, asked, spread = table[:, spread > 0], asked[:, spread > 0], spread[spread > 0]
        if table.shape[1] < LEAST_CHANGED or independent(table[:MOST_ASKED]) < LEAST_INDEPENDENT:
            return 0.0
        table, asked = table / spread, asked / spread
        near = torch.cdist(asked, table).topk(NEIGHBOURS, largest=False)
        changed = ((table[near.indices[:, 0]] - asked).abs() > 0).sum(1) >= LEAST_CHANGED
        ratio = near.values[:, 0] / near.values[:, -1]
        close = float(((ratio < NEARER) & changed).float().mean())
        between = float(((ratio >= NEARER) & (ratio < NEXT)).float().mean())
        return close if close >= LEAST_SHARE and between <= GAP * close else 0.0


def table_of(given: Mapping[str, torch.Tensor]) -> torch.Tensor | None:
    """Of a model with one input; a part of an example may well come again."""
    tensors = list(given.values())
    if len(tensors) != 1 or not tensors[0].is_floating_point() or tensors[0].ndim < 2 or not len(tensors[0]):
        return None
    tensor = tensors[0]
    small = math.prod(tensor.shape[1:]) <= MOST_PLACES and reading.readable(tensor)
    return tensor.detach().reshape(len(tensor), -1) if small else None


def _copied(table: torch.Tensor) -> torch.Tensor:
    found = table.to("cpu", torch.float32, copy=True)
    return found[torch.isfinite(found).all(1)]
