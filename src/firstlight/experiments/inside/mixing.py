"""Where in a model the examples of a batch begin to mix: the first operation whose row for one rests on the others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside.asking import Asked
from firstlight.experiments.inside.axes import Through
from firstlight.experiments.inside.leaves import with_leaves
from firstlight.observe.inside import reading, sites
from firstlight.records.places import Site

STRAIGHT = 1e-3
"""Share of a column that is not explained by one factor and one shift for all examples."""
LEAST = 1e-12


@dataclass(frozen=True)
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


def first_mixing(asked: Asked, rows: Through) -> Operation | None:
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

    return operations.first(mixes) if given else None


def _is_straight(given: torch.Tensor, made: torch.Tensor) -> bool:
    if not given.is_floating_point():
        return False
    one, other = (tensor.detach().double().flatten(1) for tensor in (given, made))
    one, other = one - one.mean(0), other - other.mean(0)
    slope = (one * other).sum(0) / one.square().sum(0).clamp_min(LEAST)
    return bool((other - slope * one).norm() < STRAIGHT * other.norm())
