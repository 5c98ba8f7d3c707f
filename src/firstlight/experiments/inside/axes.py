"""Through which axis the examples lie, and along which the positions, in what a model is given and in what it gives.

Sizes collide and layouts differ, so neither is taken from the order of dimensions. A loader collates examples along the
first axis; beyond that the model is asked, with one element of an axis left out: the axis of its output that becomes
shorter belongs to it, and examples are what the others' outputs do not notice the loss of.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import torch

from firstlight.experiments.inside.asking import LEAST_LENGTH, LEAST_ROWS, Asked, answer

ALIKE = 1e-4
"""Relative difference that rounding makes between batches of different size."""
MOST_WAYS = 8
"""In which the axes of several inputs are combined."""
MOST_COMPARED = 1 << 20


@dataclass(frozen=True)
class Laid:
    """Where an axis of the inputs comes out."""

    axis: int
    length: int
    packed: int = 1
    """Values of an axis that another one was merged with, for each element."""
    outer: bool = True
    """The element changes slowest where they are merged."""

    def first(self, output: torch.Tensor, length: int | None = None) -> torch.Tensor:
        """With the axis first and all others behind it in one."""
        length = length or self.length
        shape = (length, self.packed) if self.outer else (self.packed, length)
        found: torch.Tensor = output.unflatten(self.axis, shape).movedim(self.axis + (0 if self.outer else 1), 0)
        return found.reshape(length, -1)


@dataclass(frozen=True)
class Through:
    """One axis through a model: of each input that has it, and of its output."""

    given: Mapping[int, int]
    """The axis, by the identity of the tensor."""
    length: int
    laid: Laid | None = None
    apart: bool = False
    """With one element left out, the others' outputs were the same."""

    def has(self, tensor: torch.Tensor) -> bool:
        return id(tensor) in self.given

    def without(self, place: int, tensor: torch.Tensor) -> torch.Tensor:
        if not self.has(tensor):
            return tensor
        kept = [index for index in range(self.length) if index != place]
        return tensor.index_select(self.given[id(tensor)], torch.tensor(kept, device=tensor.device))


def examples(asked: Asked) -> Through | None:
    """None where they are not known by a loader, nor told by the model. Leaves the model in eval mode."""
    asked.call.module.eval()
    first = answer(asked)
    tensors = [tensor for tensor in asked.call.inputs if tensor.numel() > 1]
    found: list[Through] = []
    for length in (asked.rows,) if asked.rows else _lengths(tensors):
        ways = list(_ways(asked, tensors, length)) if first is not None and length >= LEAST_ROWS else []
        for given in ways:
            along = _asked_without(asked, first, Through(given, length), 0)
            if along is not None and along.apart:
                return along
            found += [along] if along is not None else []
        found += [Through(given, length, _by_size(first, length, None)) for given in ways[:1] if asked.rows]
    return found[0] if found and (asked.rows or _only_ids(tensors)) else None


def beside(asked: Asked, along: Through) -> Through | None:
    """The same examples in another output; None where it does not grow with their number along one axis."""
    return _asked_without(asked, answer(asked), replace(along, laid=None, apart=False), 0)


def positions(asked: Asked, first: torch.Tensor, tensor: torch.Tensor, rows: Through | None) -> Through | None:
    """Of a sequence of ids or of vectors: what is left beside the examples; None where it is none."""
    own = rows.given.get(id(tensor)) if rows is not None else None
    axes = [axis for axis in range(tensor.ndim) if axis != own]
    vectors = tensor.is_floating_point() and len(axes) > 1
    for axis in axes if own is not None and len(axes) <= 1 + tensor.is_floating_point() else ():
        length = tensor.shape[axis]
        given = {id(tensor): axis} | _beside(asked, tensor, axis, rows)
        if length < LEAST_LENGTH:
            continue
        whole = Through(given, length)
        along = _asked_without(asked, first, whole, length - 1, merged=rows.laid if rows else None)
        if along is not None or not vectors:
            return along or replace(whole, laid=_by_size(first, length, rows))
    return None


def _only_ids(tensors: list[torch.Tensor]) -> bool:
    """Rows of ids, whose positions alone may depend on one another: where nothing is apart, examples mix."""
    return all(tensor.ndim == 2 and not tensor.is_floating_point() for tensor in tensors)


def _lengths(tensors: list[torch.Tensor]) -> list[int]:
    return list(dict.fromkeys(tensors[0].shape[:2])) if tensors else []


def _ways(asked: Asked, tensors: list[torch.Tensor], length: int) -> Iterator[dict[int, int]]:
    """What was collated has its examples first, whatever other axis is as long."""
    choices = []
    for tensor in tensors:
        axes = [axis for axis, size in enumerate(tensor.shape) if size == length]
        if axes:
            pinned = axes[0] == 0 and _collated(asked, tensor)
            choices.append([(id(tensor), axis) for axis in (axes[:1] if pinned else axes)])
    if choices:
        yield from map(dict, itertools.islice(itertools.product(*choices), MOST_WAYS))


def _collated(asked: Asked, tensor: torch.Tensor) -> bool:
    return any(
        tensor.shape == one.shape and tensor.numel() <= MOST_COMPARED and torch.equal(tensor.cpu(), one.cpu())
        for one in asked.collated
        if tensor.dtype == one.dtype
    )


def _beside(asked: Asked, tensor: torch.Tensor, axis: int, rows: Through | None) -> dict[int, int]:
    """Masks and answers that go with a sequence: as long, along an axis that is not the examples'."""
    found = {}
    for other in asked.call.inputs:
        own = rows.given.get(id(other)) if rows is not None else None
        axes = [place for place, size in enumerate(other.shape) if size == tensor.shape[axis] and place != own]
        if other is not tensor and len(axes) == 1:
            found[id(other)] = axes[0]
    return found


def _asked_without(
    asked: Asked, first: torch.Tensor | None, along: Through, place: int, merged: Laid | None = None
) -> Through | None:
    """`merged` is where the examples come out, which may be on the same axis."""
    less = answer(asked, lambda tensor: along.without(place, tensor))
    if first is None or less is None or less.ndim != first.ndim:
        return None
    ways = list(_laid(first, less, along.length, merged))
    for laid in ways:
        if _alike(laid, first, less, place):
            return replace(along, laid=laid, apart=True)
    return replace(along, laid=ways[0]) if ways else None


def _laid(first: torch.Tensor, less: torch.Tensor, length: int, merged: Laid | None) -> Iterator[Laid]:
    changed = [axis for axis in range(first.ndim) if first.shape[axis] != less.shape[axis]]
    if len(changed) != 1 or first.shape[changed[0]] % length:
        return
    (axis,) = changed
    packed = first.shape[axis] // length
    if less.shape[axis] == packed * (length - 1):
        known = merged is not None and merged.axis == axis and merged.packed > 1
        for outer in (not merged.outer,) if merged is not None and known else (True, False)[:packed]:
            yield Laid(axis, length, packed, outer=outer)


def _alike(laid: Laid, first: torch.Tensor, less: torch.Tensor, place: int) -> bool:
    before = laid.first(first)
    kept = torch.cat((before[:place], before[place + 1 :]))
    return bool((kept - laid.first(less, laid.length - 1)).norm() <= ALIKE * kept.norm())


def _by_size(first: torch.Tensor | None, length: int, rows: Through | None) -> Laid | None:
    """For a model that takes no other length: the axis of its output that is as long, or merged with the examples."""
    own = rows.laid if rows is not None else None
    if first is None:
        return None
    if own is not None and own.packed == length:
        return Laid(own.axis, length, own.length, outer=not own.outer)
    axes = [axis for axis, size in enumerate(first.shape) if size == length and (own is None or axis != own.axis)]
    return Laid(axes[0], length) if len(axes) == 1 else None
