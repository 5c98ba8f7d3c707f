"""A model run once more with its inputs, and what its embeddings make of ids, as leaves that gradients come to."""

from dataclasses import dataclass
from typing import Any

import torch

from firstlight.experiments.inside.steering import changed
from firstlight.observe.inside import reading
from firstlight.observe.inside.taps.models import Call


@dataclass(frozen=True)
class Leaf:
    """An input, or what an embedding made of ids."""

    tensor: torch.Tensor
    ids: torch.Tensor | None = None
    padding: int | None = None


def with_leaves(call: Call) -> tuple[torch.Tensor | None, list[Leaf]]:
    """Its first output through which a gradient goes."""
    leaves: list[Leaf] = []

    def leaf(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point():
            return tensor
        leaves.append(Leaf(tensor.detach().clone().requires_grad_(True)))
        return leaves[-1].tensor

    def embedded(module: torch.nn.Module, given: Any, made: torch.Tensor) -> torch.Tensor:
        ids = next(reading.tensors_in(given), None)
        padding: Any = module.padding_idx
        leaves.append(Leaf(made.detach().clone().requires_grad_(True), ids, padding))
        return leaves[-1].tensor

    kept = [m.register_forward_hook(embedded) for m in call.module.modules() if isinstance(m, torch.nn.Embedding)]
    output = call.module(*changed(call.arguments, leaf), **changed(call.keywords, leaf))
    for handle in kept:
        handle.remove()
    floats = [t for t in reading.tensors_in(output) if t.is_floating_point() and t.requires_grad and t.ndim]
    return (floats[0] if floats else None), leaves
