"""The only place where values are read off tensors. Nothing here changes a tensor, the random state or the graph."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import torch

from firstlight.records.sighting import TensorCard

MOST_ELEMENTS = 1 << 20
"""A larger tensor is read in part: enough to describe it, and never a second step's worth of work."""
MOST_DEPTH = 6


def tensors_in(tree: Any, depth: int = 0) -> Iterator[torch.Tensor]:
    """Every tensor in nested lists, tuples, mappings (HF's `BatchEncoding` is one) and data classes."""
    if isinstance(tree, torch.Tensor):
        yield tree
    elif depth < MOST_DEPTH and isinstance(tree, Mapping):
        for item in tree.values():
            yield from tensors_in(item, depth + 1)
    elif depth < MOST_DEPTH and isinstance(tree, list | tuple):
        for item in tree:
            yield from tensors_in(item, depth + 1)
    elif depth < MOST_DEPTH and is_dataclass(tree) and not isinstance(tree, type):
        for part in fields(tree):
            yield from tensors_in(getattr(tree, part.name, None), depth + 1)


def readable(tensor: torch.Tensor) -> bool:
    """Has values that may be read here: not traced, not under a `torch.func` transform, not without storage."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) and tensor.__class__.__name__ == "FakeTensor":
        return False
    if tensor.device.type == "meta" or tensor.layout not in (torch.strided, torch.sparse_coo):
        return False
    return not torch._C._functorch.is_functorch_wrapped_tensor(tensor)


def place(tensor: torch.Tensor) -> int | None:
    """Of its values in memory: the same for a tensor, its views and its `data`."""
    return tensor.untyped_storage().data_ptr() if readable(tensor) and tensor.layout is torch.strided else None


def transformed() -> bool:
    """A `torch.func` transform is running, under which our own operations would become a part of it."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def values_of(tensor: torch.Tensor) -> torch.Tensor:
    """Dense, detached values; a gradient of an embedding may be sparse."""
    found = tensor.detach()
    return found._values() if found.is_sparse else found


def sample_of(tensor: torch.Tensor) -> torch.Tensor:
    """At most `MOST_ELEMENTS` values, whole rows first."""
    found = values_of(tensor)
    if found.numel() <= MOST_ELEMENTS or found.ndim == 0:
        return found
    rows = max(1, MOST_ELEMENTS // max(1, found[0].numel()))
    return found[:rows]


def number(tensor: torch.Tensor) -> float:
    return float(tensor.detach().float().item())


def all_finite(tensor: torch.Tensor) -> bool:
    """One pass in the usual case: a sum is finite unless a value is not (or it overflows, which is looked into)."""
    if not (tensor.is_floating_point() or tensor.is_complex()) or tensor.numel() == 0 or not readable(tensor):
        return True
    found = values_of(tensor)
    if bool(torch.isfinite(found.sum())):
        return True
    return bool(torch.isfinite(found).all())


def nonfinite_share(tensor: torch.Tensor) -> float:
    found = sample_of(tensor)
    return float((~torch.isfinite(found)).float().mean().item()) if found.numel() else 0.0


def card(tensor: torch.Tensor) -> TensorCard:
    shape, dtype = tuple(tensor.shape), str(tensor.dtype).removeprefix("torch.")
    if not readable(tensor) or tensor.numel() == 0:
        return TensorCard(shape=shape, dtype=dtype)
    found = sample_of(tensor)
    found = found.real.double() if found.is_complex() else found.double()
    finite = torch.isfinite(found)
    kept = found if bool(finite.all()) else found[finite]
    if kept.numel() == 0:
        return TensorCard(shape=shape, dtype=dtype, nonfinite=found.numel())
    std = kept.std(unbiased=False)
    low, high, mean, spread = torch.stack([kept.min(), kept.max(), kept.mean(), std]).tolist()
    missing = found.numel() - kept.numel()
    return TensorCard(shape=shape, dtype=dtype, low=low, high=high, mean=mean, std=spread, nonfinite=missing)


def norms(tensors: Sequence[torch.Tensor]) -> list[float]:
    """The L2 norm of each tensor, read in one transfer."""
    found = [values_of(item) for item in tensors]
    if not found:
        return []
    found = [item.float() if item.is_complex() or not item.is_floating_point() else item for item in found]
    each = torch._foreach_norm(found)
    return torch.stack([item.float().to("cpu", non_blocking=False) for item in each]).tolist()


def length(norms_of_parts: Sequence[float]) -> float:
    return float(sum(part * part for part in norms_of_parts) ** 0.5)


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """The largest difference of values in the same place. What is finite in neither is no distance apart."""
    finite = torch.isfinite(one)
    if not torch.equal(finite, torch.isfinite(other)):
        return float("inf")
    return float((one - other)[finite].abs().max()) if bool(finite.any()) else 0.0


def fingerprint(tensors: Sequence[torch.Tensor]) -> str:
    """Equal for equal contents; differs, practically always, for different ones. Empty where nothing could be read.

    Of one length however many tensors there are: an agent may act thousands of times before it takes a step.
    """
    parts = []
    for tensor in tensors:
        if not readable(tensor) or tensor.numel() == 0:
            continue
        found = sample_of(tensor).reshape(-1)
        found = found.double() if not found.is_complex() else found.real.double()
        ramp = torch.arange(1, found.numel() + 1, dtype=torch.float64, device=found.device)
        total, weighted = torch.stack([found.sum(), (found * ramp).sum()]).tolist()
        parts.append(f"{tuple(tensor.shape)}:{total!r}:{weighted!r}")
    return hashlib.blake2b("|".join(parts).encode(), digest_size=16).hexdigest() if parts else ""
