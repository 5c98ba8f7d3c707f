"""Were the examples of two sides prepared alike? Compared place by place: an example's columns, pixels or moments.

A shift of the data moves some places more than others. A step of the preparation that was done on one side alone moves
all of them by one rule (a factor, an offset, another order, a sort), and with that rule undone both sides are alike.
"""

import math
from collections.abc import Iterator, Sequence

import torch

from firstlight.records.feed import Preparation

MOST_ROWS = 512
MOST_VALUES = 1 << 19
"""Of a sample: 2 MB."""
MOST_OF_A_BATCH = 64
MOST_PLACES = 4096
"""Of an example; larger ones are not compared."""
LEAST_ROWS = 24
LEAST_AXIS = 3
MOST_MATCHED = 64
"""Columns that are put in any order; more are only moved or mirrored as a whole."""
LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)
NEAR = 0.2
"""Of the usual factor, within which a place has the same."""
TINY = 1e-6
DEALS = 4
TURNED = "with rows and columns exchanged"
NEARER = 0.5
"""Of the distance of the first sample; two of one kind differ by less."""
OTHERWISE = 0.05
"""Share of neighbouring values that fall, from which on a side is not sorted."""


class ExampleSample:
    """The first examples of each batch, while they have one shape."""

    def __init__(self) -> None:
        self.shape: tuple[int, ...] = ()
        self.kept = 0
        self._rows: list[torch.Tensor] = []

    def add(self, tensor: torch.Tensor) -> None:
        shape = tuple(tensor.shape[1:])
        self.shape = self.shape or shape
        size = tensor[0].numel()
        room = min(MOST_ROWS, MOST_VALUES // max(1, size)) - self.kept
        if shape != self.shape or size > MOST_PLACES or room <= 0:
            return
        found = tensor.detach()[: min(room, MOST_OF_A_BATCH)].to("cpu", torch.float32, copy=True)
        found = found.reshape(len(found), -1)
        found = found[torch.isfinite(found).all(1)]
        self._rows.append(found)
        self.kept += len(found)

    def table(self) -> torch.Tensor:
        return torch.cat(self._rows)


class LateSample(ExampleSample):
    """The same of the last calls, of which some are looked at."""

    EVERY = 8

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def add(self, tensor: torch.Tensor) -> None:
        self._calls += 1
        if self._calls % self.EVERY == 0:
            if self.kept + MOST_OF_A_BATCH > MOST_ROWS:
                self.kept -= len(self._rows.pop(0))
            super().add(tensor)


def prepared_of_any(train: Sequence[ExampleSample], evaluated: ExampleSample) -> Preparation:
    """By the first sample, or by a later one that is far nearer to what is evaluated: a later stage may be trained as
    the evaluation was prepared, and not as the stage before it."""
    first, *later = [prepared(one, evaluated) for one in train if one.kept >= LEAST_ROWS] or [Preparation()]
    nearest = min(later, key=lambda one: one.own, default=first)
    return nearest if nearest.own < NEARER * first.own else first


def prepared(train: ExampleSample, evaluated: ExampleSample) -> Preparation:
    if train.shape != evaluated.shape or min(train.kept, evaluated.kept) < LEAST_ROWS:
        return Preparation()
    here, there = train.table(), evaluated.table()
    moving = here.std(0) > TINY * here.std()
    if not bool(moving.any()):
        return Preparation()
    factor, offset, even = _rule(here[:, moving], there[:, moving])
    order, own, ordered = _best_order(here, there, train.shape)
    return Preparation(
        places=independent(here[:, moving]),
        factor=factor,
        offset=offset,
        even=even,
        order=order,
        turned=order == TURNED,
        own=own,
        ordered=ordered,
        ascending=_ascending(here, there, train.shape[-1]),
    )


def _levels(table: torch.Tensor) -> torch.Tensor:
    return torch.quantile(table, torch.tensor(LEVELS), dim=0)


def _rule(here: torch.Tensor, there: torch.Tensor) -> tuple[float, float, float]:
    """The usual factor between the spreads of a place here and there, what is added, and how many places it fits."""
    first, second = _levels(here), _levels(there)
    narrow, wide = first[-1] - first[0], second[-1] - second[0]
    both = (narrow > 0) & (wide > 0)
    if not bool(both.any()):
        return 1.0, 0.0, 0.0
    factors = wide[both] / narrow[both]
    factor = float(factors.median())
    middle = len(LEVELS) // 2
    offset = float((second[middle] - factor * first[middle])[both].median() / here[:, both].std(0).median())
    near = (factors / factor - 1).abs() <= NEAR
    return factor, offset, float(near.float().sum()) / len(both)


def independent(table: torch.Tensor) -> float:
    """How many places vary by themselves, by how much the places have in common."""
    unit = (table - table.mean(0)) / table.std(0)
    common = unit @ unit.t() / max(1, len(unit) - 1)  # as many eigenvalues as the correlations of the places
    return float(table.shape[1] ** 2 / common.pow(2).sum())


def _best_order(here: torch.Tensor, there: torch.Tensor, shape: tuple[int, ...]) -> tuple[str, float, float]:
    """How the places of `there` fit better, and the distance of those that move, as they are and so, over chance."""
    scale = here.std(0).clamp_min(TINY * float(here.std()))
    first, second = _levels(here) / scale, _levels(there)
    chance = _chance(here, there, scale)
    own = (first - second / scale).abs().mean(0)
    best, found = 0.0, ("", float(own.mean()) / chance if chance > 0 else 0.0, 0.0)
    for name, order in _orders(first * scale, second, scale, shape):
        moved = order != torch.arange(len(order))
        ordered = (first - second[:, order] / scale).abs().mean(0)
        gain = float((own - ordered).sum())
        if gain > best and chance > 0:
            best, found = gain, (name, float(own[moved].mean()) / chance, float(ordered[moved].mean()) / chance)
    return found


def _chance(here: torch.Tensor, there: torch.Tensor, scale: torch.Tensor) -> float:
    """The distance of two samples of the same examples, of the sizes that were compared."""
    generator = torch.Generator().manual_seed(0)
    apart = []
    for _ in range(DEALS):
        dealt = here[torch.randperm(len(here), generator=generator, device="cpu")]
        half = len(dealt) // 2
        apart.append(float((_levels(dealt[:half]) - _levels(dealt[half:])).abs().div(scale).mean()))
    sizes = (1 / len(here) + 1 / len(there)) / (4 / len(here))
    return sum(apart) / DEALS * math.sqrt(sizes)


def _orders(
    first: torch.Tensor, second: torch.Tensor, scale: torch.Tensor, shape: tuple[int, ...]
) -> Iterator[tuple[str, torch.Tensor]]:
    """Mirrored or moved along an axis; the columns of a small table in any order."""
    places = torch.arange(second.shape[1]).reshape(shape)
    for axis, length in enumerate(shape):
        if length >= LEAST_AXIS:
            along = "" if len(shape) == 1 else f" along axis {axis + 1}"
            yield f"mirrored{along}", places.flip(axis).reshape(-1)
            for by in range(1, length):
                yield f"moved by {by}{along}", places.roll(by, axis).reshape(-1)
    if len(shape) > 1 and shape[-1] == shape[-2]:
        yield TURNED, places.transpose(-1, -2).reshape(-1)
    if len(shape) == 1 and 1 < shape[0] <= MOST_MATCHED:
        apart = (first[:, :, None] - second[:, None, :]).abs().mean(0) / scale[:, None]
        order = apart.argmin(1)
        if len(torch.unique(order)) == len(order):
            moved = torch.nonzero(order != torch.arange(len(order))).reshape(-1).tolist()
            yield f"with columns {', '.join(map(str, moved[:6]))} exchanged", order


def _ascending(here: torch.Tensor, there: torch.Tensor, width: int) -> str:
    if width < LEAST_AXIS:
        return ""
    falls = []
    for table in (here, there):
        steps = table.reshape(-1, width).diff(dim=1)
        rises = float((steps > 0).float().mean())
        falls.append((float((steps < 0).float().mean()), rises))
    for side, (own, other) in (("training", falls), ("evaluation", falls[::-1])):
        if own[0] == 0 and own[1] > OTHERWISE and other[0] > OTHERWISE:
            return side
    return ""
