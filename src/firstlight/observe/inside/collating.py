"""Do the parts of an example still belong together in the batch that a collate function makes of it?

Each part of an item (its tokens, its answer) is looked for in the rows of the batch. Parts that were changed on the way
are not found and say nothing. Those that are found must be in the same row, and parts of one value a place (tokens and
their tags) must begin at the same place, or equally far from it in all rows.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from firstlight.observe.inside import reading

LEAST_ITEMS = 4
MOST_ITEMS = 128
"""Of a batch; larger ones are not looked at, nor are larger parts or tensors."""
MOST_VALUES = 1 << 12
MOST_ELEMENTS = 1 << 18
MOST_PARTS = 8
LEAST_PLACES = 2


@dataclass(frozen=True)
class Torn:
    """Two parts of the items that the batch holds, and what came apart."""

    what: Literal["rows", "places"]
    first: str
    second: str
    items: int
    """Whose parts are no longer together."""


@dataclass(frozen=True)
class PartFound:
    """One part in one tensor of the batch."""

    there: torch.Tensor
    """For each row, item and try, whether the row holds the values of the item there."""
    begins: torch.Tensor
    """For each item and try, at which place of the row."""
    lengths: tuple[int, ...]

    @property
    def together(self) -> bool:
        """Every item in a row of its own, in some order: items that are alike may stand for one another."""
        holds = self.there.any(2)
        rows, items = holds.sum(1), holds.sum(0)
        counts = rows[:, None].expand_as(holds)[holds] == items[None, :].expand_as(holds)[holds]
        return bool((rows > 0).all() and (items > 0).all() and counts.all())

    @property
    def order(self) -> torch.Tensor | None:
        """The item of each row, where they can be told apart."""
        holds = self.there.any(2)
        return holds.long().argmax(1) if bool((holds.sum(0) == 1).all() and (holds.sum(1) == 1).all()) else None

    def missing(self, order: torch.Tensor) -> int:
        """Rows that do not hold the item they have in this order."""
        return int((~self.there.any(2)[torch.arange(len(order)), order]).sum())

    def places(self, row: int, item: int) -> list[int]:
        found: list[int] = self.begins[item][self.there[row, item]].tolist()
        return found


def torn(items: Any, batch: Any) -> Torn | None:
    if not isinstance(items, list) or not LEAST_ITEMS <= len(items) <= MOST_ITEMS:
        return None
    outputs = [tensor for tensor in reading.tensors_in(batch) if reading.readable(tensor) and not tensor.is_sparse]
    known = {
        name: found
        for name, values in _parts(items).items()
        if (found := [one for output in outputs for one in _found(values, output) if one.together])
    }
    names = list(known)
    for at, first in enumerate(names):
        for second in names[at + 1 :]:
            rows = _apart(known[first], known[second])
            if rows or (rows := _apart(known[second], known[first])):
                return Torn("rows", first, second, rows)
            if places := _shifted(known[first], known[second]):
                return Torn("places", first, second, places)
    return None


def _apart(some: Sequence[PartFound], others: Sequence[PartFound]) -> int:
    """Rows in which the second part is that of another item, if no order that is known of the first fits the second."""
    orders = [order for one in some if (order := one.order) is not None]
    if len(orders) < len(some):
        return 0
    return min((other.missing(order) for order in orders for other in others), default=0)


def _shifted(some: Sequence[PartFound], others: Sequence[PartFound]) -> int:
    """Items whose two parts of one value a place are further from each other than those of most."""
    apart = []
    for one in some:
        for other in others:
            order = one.order if one.order is not None else other.order
            if order is None or one.lengths != other.lengths or max(one.lengths) < LEAST_PLACES:
                return 0
            distances: Counter[int] = Counter()
            for row, item in enumerate(order.tolist()):
                distances.update({a - b for a in one.places(row, item) for b in other.places(row, item)})
            apart.append(len(order) - max(distances.values(), default=0))
    return min(apart, default=0)


def _parts(items: Sequence[Any]) -> dict[str, list[torch.Tensor]]:
    """The values of each part that all items have."""
    split = [dict(_named(item)) for item in items]
    found = {}
    for name in list(split[0])[:MOST_PARTS]:
        values = [_values(item.get(name)) for item in split]
        known = [value for value in values if value is not None and 0 < value.numel() <= MOST_VALUES]
        if len(known) == len(items) and len({value.shape[1:] for value in known}) == 1:
            found[name] = known
    return found


def _named(item: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(item, Mapping):
        yield from ((f"`{name}`", value) for name, value in item.items())
    elif isinstance(item, tuple):
        yield from ((f"part {place}", value) for place, value in enumerate(item))


def _values(value: Any) -> torch.Tensor | None:
    """One row for each place; None for what has no numbers."""
    if hasattr(value, "__array__") and not isinstance(value, torch.Tensor):
        value = value.__array__()
        value = value.tolist() if value.dtype.kind in "iufb" and value.size <= MOST_VALUES else None
    if isinstance(value, list | tuple) and len(value) > MOST_VALUES:
        return None
    if not isinstance(value, torch.Tensor):
        try:
            value = torch.tensor(value)
        except (TypeError, ValueError, RuntimeError, OverflowError):
            return None
    if not reading.readable(value) or value.is_sparse or value.is_complex():
        return None
    flat: torch.Tensor = value.detach().to("cpu", torch.float32)
    return flat.reshape(1) if flat.ndim == 0 else flat


def _found(values: Sequence[torch.Tensor], output: torch.Tensor) -> Iterator[PartFound]:
    """Along the axis of the batch, which comes first or second. Rows are padded with one value, whichever."""
    for axis in range(min(2, output.ndim)):
        if output.shape[axis] != len(values) or output.numel() > MOST_ELEMENTS or output.is_complex():
            continue
        rows = output.detach().to("cpu", torch.float32).movedim(axis, 0)
        rows = rows[:, None] if rows.ndim == 1 else rows
        if rows.shape[2:] != values[0].shape[1:] or rows.shape[1] < max(map(len, values)):
            continue
        for padding in {float(rows[:, side].mode(0).values.reshape(-1)[0]) for side in (0, -1)}:
            tried = [_tried(value, rows, padding) for value in values]
            there, begins = torch.stack([holds for holds, _ in tried], 1), torch.tensor([at for _, at in tried])
            yield PartFound(there, begins, tuple(map(len, values)))


def _tried(value: torch.Tensor, rows: torch.Tensor, padding: float) -> tuple[torch.Tensor, tuple[int, int]]:
    """Whether each row is the values of an item at its beginning, or at its end, and nothing but padding."""
    begins = (0, rows.shape[1] - len(value))
    holds = {}
    for begin in set(begins):
        row = torch.full_like(rows[0], padding)
        row[begin : begin + len(value)] = value
        holds[begin] = (rows == row).flatten(1).all(1)
    return torch.stack([holds[begin] for begin in begins], 1), begins
