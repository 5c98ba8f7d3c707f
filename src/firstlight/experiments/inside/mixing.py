"""Where in a model the examples of a batch begin to mix: the first operation whose row for one rests on the others.

A gradient shows it; where none goes through, as where examples mix in whole numbers, it is seen by values: the model is
run again with all examples but one exchanged.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside.asking import Asked, answer
from firstlight.experiments.inside.axes import Through
from firstlight.experiments.inside.influence import MOVED
from firstlight.experiments.inside.leaves import with_leaves
from firstlight.observe.inside import reading, sites
from firstlight.records.places import Site

STRAIGHT = 1e-3
"""Share of a column that is not explained by one factor and one shift for all examples."""
LEAST = 1e-12
LOOKUPS = frozenset({"embedding", "__getitem__", "index_select", "gather", "take_along_dim"})
MOST_ELEMENTS = 1 << 20
MOST_CALLS = 4000


@dataclass(frozen=True, eq=False)
class Operation:
    """A torch call and what it made, through which gradients go."""

    name: str
    site: Site | None
    given: tuple[torch.Tensor, ...]
    made: torch.Tensor

    @property
    def normalises(self) -> bool:
        """All examples are scaled and shifted alike, column by column: by numbers taken from all of them."""
        return any(_is_straight(one, self.made) for one in self.given if one.shape == self.made.shape)

    @property
    def shares(self) -> bool:
        """The examples have shares of one, column by column, or their logarithms."""
        made = self.made.detach().double()
        sums = made.exp().sum(0), made.sum(0) if bool((made >= 0).all()) else made.new_zeros(1)
        return any(bool(((one - 1).abs() < STRAIGHT).all()) for one in sums)


class CallsInOrder(TorchFunctionMode):
    """While it is entered, every such call, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Operation] = []

    def __torch_function__(self, function: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        given = tuple(reading.tensors_in((args, kwargs)))
        for made in reading.tensors_in(result):
            if made.requires_grad and made.ndim:
                name = getattr(function, "__name__", str(function))
                self.seen.append(Operation(name, sites.caller(), given, made))
        return result

    def first(self, mixes: Callable[[torch.Tensor], bool]) -> Operation | None:
        return next((one for one in self.seen if mixes(one.made)), None)

    def ends(self, operation: Operation) -> bool:
        """Nothing is computed from what it made: that is an output."""
        later = self.seen[self.seen.index(operation) + 1 :]
        at = operation.made.data_ptr()
        return all(one.made.data_ptr() == at for one in later if any(t.data_ptr() == at for t in one.given))


class Mixing(NamedTuple):
    """The first call that mixes examples, and whether what it makes is an output."""

    operation: Operation
    last: bool


def first_mixing(asked: Asked, rows: Through) -> Mixing | None:
    """None where the examples do not come first, or what mixes them hands on no gradient."""
    operations = CallsInOrder()
    with torch.enable_grad(), operations:
        _, leaves = with_leaves(asked.call)
    given = [leaf.tensor for leaf in leaves if leaf.tensor.ndim and len(leaf.tensor) == rows.length]
    middle = rows.length // 2

    def mixes(made: torch.Tensor) -> bool:
        if len(made) != rows.length:
            return False
        pulled: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
            made[middle].sum(), given, allow_unused=True, retain_graph=True
        )
        return any(
            bool(one.flatten(1).any(1)[torch.arange(len(one)) != middle].any()) for one in pulled if one is not None
        )

    found = operations.first(mixes) if given else None
    return None if found is None else Mixing(found, operations.ends(found))


class ByValue(NamedTuple):
    """The first call of which the row for one example is another where only the others were exchanged."""

    name: str
    site: Site | None
    indexes: bool
    """It makes whole numbers, and what they do to the rest of the model is to look something up."""


class _RowsInOrder(TorchFunctionMode):
    """While it is entered, of every call the row for one example, where examples come first."""

    def __init__(self, length: int, place: int) -> None:
        super().__init__()
        self.length, self.place = length, place
        self.seen: list[tuple[str, Site | None, torch.Tensor]] = []

    def __torch_function__(self, function: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        made = result if isinstance(result, torch.Tensor) else None
        if made is not None and made.ndim and len(made) == self.length and made.numel() <= MOST_ELEMENTS:
            name = getattr(function, "__name__", str(function))
            if len(self.seen) < MOST_CALLS:
                self.seen.append((name, sites.caller(), made.detach()[self.place].clone()))
        return result


def first_mixing_by_value(asked: Asked, rows: Through) -> ByValue | None:
    """None where the examples do not come first, or the two runs do not make the same calls."""
    if any(rows.given.values()):
        return None
    middle = rows.length // 2
    others = {id(tensor): _exchanged(tensor, middle) for tensor in asked.call.inputs if rows.has(tensor)}
    as_it_is, exchanged = _RowsInOrder(rows.length, middle), _RowsInOrder(rows.length, middle)
    with as_it_is:
        answer(asked)
    with exchanged:
        answer(asked, lambda tensor: others.get(id(tensor), tensor))
    pairs = zip(as_it_is.seen, exchanged.seen, strict=False)
    moved = [one for one, other in pairs if one[0] == other[0] and _moved(one[2], other[2])]
    if not moved or [one[:2] for one in as_it_is.seen] != [one[:2] for one in exchanged.seen]:
        return None
    name, site, made = moved[0]
    felt = next((one for one in moved if one[2].is_floating_point()), None)
    return ByValue(name, site, not made.is_floating_point() and felt is not None and felt[0] in LOOKUPS)


def _exchanged(tensor: torch.Tensor, kept: int) -> torch.Tensor:
    found = tensor.detach().roll(1, 0)
    found[kept] = tensor.detach()[kept]
    return found


def _moved(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or not one.is_floating_point():
        return not torch.equal(one, other)
    return bool((one - other).abs().max() > MOVED * one.abs().max()) if one.numel() else False


def _is_straight(given: torch.Tensor, made: torch.Tensor) -> bool:
    if not given.is_floating_point():
        return False
    one, other = (tensor.detach().double().flatten(1) for tensor in (given, made))
    one, other = one - one.mean(0), other - other.mean(0)
    slope = (one * other).sum(0) / one.square().sum(0).clamp_min(LEAST)
    return bool((other - slope * one).norm() < STRAIGHT * other.norm())
