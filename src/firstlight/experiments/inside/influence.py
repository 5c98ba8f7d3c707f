"""Which part of what a model is given moves which part of what it gives, found by changing one part at a time."""

import math
import time
from collections.abc import Callable

import torch

from firstlight.experiments.inside.asking import Asked, answer
from firstlight.experiments.inside.axes import Through
from firstlight.experiments.inside.leaves import Leaf, with_leaves
from firstlight.records.timelines import InfluenceMap

MOST_PLACES = 16
SECONDS = 3.0
"""For one map: a slow model is asked about fewer places."""
MOVED = 1e-5
"""Relative to the usual size of the outputs; rounding does less."""
PULLED = 1e-6
"""Relative to the gradient of an example's own input."""


def between_examples(asked: Asked, first: torch.Tensor, along: Through) -> InfluenceMap | None:
    """Each example is replaced, in everything given, by the next one."""

    def replaced(place: int) -> Callable[[torch.Tensor], torch.Tensor]:
        return lambda tensor: _with(tensor, along, place, _next(tensor, along, place)) if along.has(tensor) else tensor

    return _map(asked, first, along, replaced)


def pulled_by_others(asked: Asked, rows: Through) -> tuple[int, int] | None:
    """How many other examples have a gradient from the output of the one in the middle, and of how many. A gradient is
    seen however little it is beside the outputs, as before training; one that is not there is exactly zero.

    None where no gradient goes from the outputs to inputs of which it is known where their examples lie.
    """
    if rows.laid is None:
        return None
    with torch.enable_grad():
        made, leaves = with_leaves(asked.call)
    given = [(leaf.tensor, axis) for leaf in leaves if (axis := _axis(leaf, rows)) is not None]
    if made is None or not given or made.shape[rows.laid.axis] != rows.laid.packed * rows.length:
        return None
    middle = rows.length // 2
    asked_of = rows.laid.first(made)[middle]
    weights = torch.randn(asked_of.shape, generator=torch.Generator().manual_seed(0)).to(asked_of)
    pulled: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
        (asked_of * weights).sum(), [tensor for tensor, _ in given], allow_unused=True
    )
    sizes = torch.zeros(rows.length, dtype=torch.float64, device=made.device)
    for one, (_, axis) in zip(pulled, given, strict=True):
        sizes = sizes if one is None else sizes + one.double().movedim(axis, 0).flatten(1).square().sum(1)
    if not 0 < float(sizes[middle]) < math.inf:
        return None
    others = torch.cat((sizes[:middle], sizes[middle + 1 :]))
    return int((others > PULLED**2 * sizes[middle]).sum()), len(others)


def _axis(leaf: Leaf, rows: Through) -> int | None:
    """Of its examples, which are counted first in what no input tells of; None where that may be something else."""
    if leaf.ids is not None and rows.has(leaf.ids):
        return rows.given[id(leaf.ids)]
    if leaf.ids is None and set(rows.given.values()) == {0}:
        return 0 if leaf.tensor.ndim and len(leaf.tensor) == rows.length else None
    fitting = [axis for axis, size in enumerate(leaf.tensor.shape) if size == rows.length]
    return 0 if fitting == [0] else None


def between_positions(
    asked: Asked, first: torch.Tensor, sequence: torch.Tensor, along: Through, rows: Through
) -> InfluenceMap | None:
    """Each position of one input is given what another example has there, or, where all have the same, what is next."""
    own = rows.given[id(sequence)]

    def replaced(place: int) -> Callable[[torch.Tensor], torch.Tensor]:
        there = sequence.select(along.given[id(sequence)], place)
        others = there.roll(1, own if own < along.given[id(sequence)] else own - 1)
        new = others if not torch.equal(others, there) else _next(sequence, along, place)
        return lambda tensor: _with(tensor, along, place, new) if tensor is sequence else tensor

    return _map(asked, first, along, replaced)


def _next(tensor: torch.Tensor, along: Through, place: int) -> torch.Tensor:
    return tensor.select(along.given[id(tensor)], (place + 1) % along.length)


def _with(tensor: torch.Tensor, along: Through, place: int, value: torch.Tensor) -> torch.Tensor:
    found = tensor.detach().clone()
    found.select(along.given[id(tensor)], place).copy_(value)
    return found


def _map(
    asked: Asked, first: torch.Tensor, along: Through, replaced: Callable[[int], Callable[[torch.Tensor], torch.Tensor]]
) -> InfluenceMap | None:
    """None where the model did not take a change, or has no output for each place."""
    laid = along.laid
    if laid is None:
        return None
    begun = time.monotonic()
    usual = float(first.square().mean().sqrt())
    if answer(asked, replaced(along.length // 2)) is None or not usual > 0:
        return None
    taken = max(time.monotonic() - begun, 1e-6)
    places = _spread(along.length, max(3, min(MOST_PLACES, int(SECONDS / taken))))
    before = laid.first(first)[places]
    columns = []
    for place in places:
        made = answer(asked, replaced(place))
        if made is None or made.shape != first.shape:
            return None
        change = (laid.first(made)[places] - before).square().mean(1).sqrt() / usual
        columns.append([float(f"{value:.3g}") for value in change.tolist()])
    return InfluenceMap(places=tuple(places), moved=tuple(zip(*columns, strict=True)))


def _spread(length: int, most: int) -> list[int]:
    """The first, the last, and others evenly between."""
    if length <= most:
        return list(range(length))
    return sorted({round(index * (length - 1) / (most - 1)) for index in range(most)})
