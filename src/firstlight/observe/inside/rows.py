"""Rows of a batch, told apart by one number each: the same values give the same number, in whatever batch they come.

Whole numbers are used throughout: sums of floats would depend on how a batch is divided.
"""

import functools
import math
from collections.abc import Sequence

import torch

from firstlight.observe.inside import reading

MOST_WIDTH = 1024
"""Values of a row that count; of a wider one, so many evenly spaced."""
FEW = 64
"""Values of a row by which it is judged whether rows can be told apart at all."""
LEAST_DISTINCT = 8
"""Rows of fewer different values, such as padding, masks or a few categories, are alike by nature."""
_MIX = -7046029254386353131
"""2**64 over the golden ratio, as a signed number: the usual multiplier to spread bits."""


def keys(tensors: Sequence[torch.Tensor]) -> list[int]:
    """One number a row over all tensors."""
    bits = _bits(tensors)
    if bits is None:
        return []
    mixed = bits * _MIX
    mixed = (mixed ^ (mixed >> 29)) * _weights(bits.shape[1], bits.device)
    found: list[int] = mixed.sum(1).tolist()
    return found


def pieces(tensor: torch.Tensor, length: int, axis: int) -> list[int]:
    """One number for each stretch of `length` places along an axis of sequences, (rows, time, channels) or the like.

    Stretches of hardly any different values, such as silence or padding, are left out.
    """
    if tensor.ndim != 3 or not tensor.is_floating_point() or tensor.shape[axis] < 2 * length:
        return []
    stretches = tensor.detach().unfold(axis, length, 1).movedim(axis, 1).flatten(0, 1)
    found = zip(keys([stretches]), _varied(stretches.flatten(1), length), strict=True)
    return [key for key, varied in found if varied]


def _varied(stretches: torch.Tensor, least: int) -> list[bool]:
    ordered = stretches.sort(1).values
    found: list[bool] = ((ordered[:, 1:] != ordered[:, :-1]).sum(1) + 1 >= least).tolist()
    return found


def telling(tensors: Sequence[torch.Tensor]) -> list[bool]:
    """Whether each row holds enough different values to be told from others."""
    bits = _bits(tensors)
    if bits is None:
        return []
    few = torch.sort(evenly(bits, FEW), dim=1).values
    found: list[bool] = ((few[:, 1:] != few[:, :-1]).sum(1) + 1 >= LEAST_DISTINCT).tolist()
    return found


def room(tensors: Sequence[torch.Tensor]) -> float:
    """Bits by which rows could differ, were their columns independent: where they are few, rows coincide by chance.

    Of several tensors, one whose rows repeat within the batch is looked up from a list (the features of a user, an
    item): it holds no more than the bits to tell the list's entries apart, by how often two of them coincide.
    """
    parts = [bits for tensor in tensors if (bits := _bits([tensor])) is not None]
    if len(parts) < 2:
        return sum(map(_columns_room, parts))
    return sum(min(_columns_room(part), _list_room(part)) for part in parts)


def _list_room(bits: torch.Tensor) -> float:
    rows = len(bits)
    repeated = rows - len(torch.unique(bits, dim=0))
    return math.log2(rows * rows / (2 * repeated)) if repeated else math.inf


def _columns_room(bits: torch.Tensor) -> float:
    few = torch.sort(evenly(bits, FEW), dim=0).values
    distinct = (few[1:] != few[:-1]).sum(0) + 1
    return float(distinct.double().log2().sum().item()) * bits.shape[1] / few.shape[1]


def _bits(tensors: Sequence[torch.Tensor]) -> torch.Tensor | None:
    found = [t for t in tensors if t.ndim and len(t) and reading.readable(t) and not t.is_sparse]
    rows = max((len(t) for t in found), default=0)
    parts = [_whole(evenly(t.detach().reshape(rows, -1), MOST_WIDTH)) for t in found if len(t) == rows and t.numel()]
    if len(parts) < 2:
        return parts[0] if parts else None
    return torch.cat([part.to(parts[0].device) for part in parts], 1)


def _whole(values: torch.Tensor) -> torch.Tensor:
    if values.is_complex():
        values = values.real
    if not values.is_floating_point():
        return values.long()
    return (values.float() + 0.0).view(torch.int32).long()  # adding makes one zero of two


def evenly(values: torch.Tensor, most: int) -> torch.Tensor:
    width = values.shape[1]
    if width <= most:
        return values
    return values[:, torch.linspace(0, width - 1, most).long().to(values.device)]


@functools.cache
def _weights(width: int, device: torch.device) -> torch.Tensor:
    generator = torch.Generator().manual_seed(1)
    return (torch.randint(-(2**62), 2**62, (width,), generator=generator, device="cpu") * 2 + 1).to(device)
