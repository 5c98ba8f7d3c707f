"""In which order the values of an example come from where they are stored to the model, whatever they are scaled by.

Augmentation draws anew for each batch. An order that is the same at every call is a step of the preparation, and
belongs to training and evaluation alike.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import torch

from firstlight.observe.inside import reading, rows, surroundings
from firstlight.records.feed import Carried

LEAST_ROWS = 6
LEAST_WIDTH = 3
MOST_ROWS = 64
MOST_VALUES = 1 << 20
"""Looked at in one batch."""
LEFT = 1e-6
"""Of the variance, at most, that one factor and offset leave unexplained."""
MOST_WAYS = 4
UNKNOWN = -1


class CarriedWay(NamedTuple):
    """For each place, the one it was loaded at, `UNKNOWN` where several are alike; None for sorted values."""

    order: torch.Tensor | None

    def joined(self, other: "CarriedWay") -> "CarriedWay | None":
        """Both as one, if they can be."""
        if self.order is None or other.order is None:
            return self if self.order is other.order else None
        if self.order.shape != other.order.shape:
            return None
        both = (self.order != UNKNOWN) & (other.order != UNKNOWN)
        if bool((self.order != other.order)[both].any()):
            return None
        return CarriedWay(torch.where(self.order == UNKNOWN, other.order, self.order))

    def exchanges(self, other: "CarriedWay", shape: tuple[int, ...]) -> bool:
        """Two axes of an example of this shape, in the other's order of its places."""
        if self.order is None or other.order is None or not len(self.order) == len(other.order) == math.prod(shape):
            return False
        places = other.order.reshape(shape)
        pairs = itertools.combinations([axis for axis, length in enumerate(shape) if length > 1], 2)
        turned = (CarriedWay(places.transpose(*pair).reshape(-1)) for pair in pairs)
        return any(self.joined(way) is not None for way in turned)

    def told(self) -> str:
        if self.order is None:
            return "sorted by value within each example"
        moved = torch.nonzero((self.order != torch.arange(len(self.order))) & (self.order != UNKNOWN)).reshape(-1)
        if not len(moved):
            return "as loaded"
        first = int(moved[0])
        return f"in another order (place {int(self.order[first])} at place {first}, …)"


class Carrying:
    """The ways that one tensor comes, of training and of evaluation."""

    def __init__(self) -> None:
        self._ways: dict[bool, list[CarriedWay]] = {True: [], False: []}
        self._calls = {True: 0, False: 0}
        self._unknown = {True: False, False: False}
        self._shape: tuple[int, ...] = ()
        """Of an example in training."""

    def add(self, training: bool, given: torch.Tensor, batch: Sequence[torch.Tensor]) -> None:
        """`batch` is what a loader gave last. A few rows left over at the end of an epoch are no sample."""
        if not given.is_floating_point() or given.ndim < 2 or len(given) < LEAST_ROWS or not reading.readable(given):
            return
        way = way_of(given, batch) or way_of(given, surroundings.sources_of(given))
        self._calls[training] += 1
        self._shape = tuple(given.shape[1:]) if training else self._shape
        ways = self._ways[training]
        if way is None or len(ways) >= MOST_WAYS:
            self._unknown[training] = True
            return
        for place, known in enumerate(ways):
            if (joined := known.joined(way)) is not None:
                ways[place] = joined
                return
        ways.append(way)

    def seen(self) -> Carried:
        """Known where training has one way and evaluation has ways that are known."""
        trained, evaluated = self._ways[True], self._ways[False]
        if len(trained) != 1 or not evaluated or any(self._unknown.values()):
            return Carried()
        own = trained[0]
        return Carried(
            training=own.told(),
            evaluation=evaluated[0].told(),
            calls=min(self._calls.values()),
            apart=all(own.joined(way) is None for way in evaluated),
            turned=all(way.exchanges(own, self._shape) for way in evaluated),
        )


def way_of(given: torch.Tensor, batch: Sequence[torch.Tensor]) -> CarriedWay | None:
    """By the first tensor of the batch from which one rule makes all of what is given."""
    for source in batch:
        if source.ndim >= 2 and len(source) == len(given) and source.numel() == given.numel():
            width = given[0].numel()
            most = min(len(given), MOST_ROWS, max(LEAST_ROWS, MOST_VALUES // width))
            loaded, now = (t.detach()[:most].to("cpu", torch.float32).reshape(most, -1) for t in (source, given))
            found = _rule(loaded, now, given.shape[-1]) if width >= LEAST_WIDTH else None
            if found is not None:
                return found
    return None


def _rule(loaded: torch.Tensor, now: torch.Tensor, width: int) -> CarriedWay | None:
    if not bool(torch.isfinite(loaded).all() and torch.isfinite(now).all()):
        return None
    return _scaled(loaded, now) or _ordered(loaded, now) or _sorted(loaded, now, width)


def _scaled(loaded: torch.Tensor, now: torch.Tensor) -> CarriedWay | None:
    one, other = loaded.double() - loaded.double().mean(), now.double() - now.double().mean()
    square = float((one**2).sum())
    if square == 0:
        return None
    factor = float((one * other).sum()) / square
    left = float(((other - factor * one) ** 2).sum())
    if factor == 0 or left > LEFT * float((other**2).sum()):
        return None
    return CarriedWay(torch.arange(loaded.shape[1]))


def _ordered(loaded: torch.Tensor, now: torch.Tensor) -> CarriedWay | None:
    """Places are known by their values in all rows; those that several share say nothing."""
    before, after = rows.keys([loaded.t()]), rows.keys([now.t()])
    if sorted(before) != sorted(after):
        return None
    places: dict[int, int] = {}
    for place, key in enumerate(before):
        places[key] = UNKNOWN if key in places else place
    order = torch.tensor([places[key] for key in after])
    return CarriedWay(order) if bool((order != UNKNOWN).any()) else None


def _sorted(loaded: torch.Tensor, now: torch.Tensor, width: int) -> CarriedWay | None:
    if width < LEAST_WIDTH or loaded.shape[1] % width:
        return None
    ascending = loaded.reshape(-1, width).sort(1).values
    return CarriedWay(None) if torch.equal(ascending, now.reshape(-1, width)) else None
