"""The guard for objects that `Accelerator.prepare` returned."""

from typing import Any, Unpack

from accelerate import Accelerator
from accelerate.optimizer import AcceleratedOptimizer
from accelerate.scheduler import AcceleratedScheduler

from firstlight.guard.attach import Guard
from firstlight.guard.attach import guard as attach
from firstlight.guard.options import Choices


def guard(accelerator: Accelerator, *prepared: Any, **options: Unpack[Choices]) -> Guard:
    """`with guard(accelerator, model, optimizer, scheduler):`. Takes the options of `firstlight.guard`.

    What else was prepared, loaders above all, may be among `prepared` and is passed over.
    """
    parts = [part for each in prepared for part in _inner(accelerator, each)]
    scaler = getattr(accelerator, "scaler", None)
    return attach(*parts, *([scaler] if scaler is not None else []), **options)


def _inner(accelerator: Accelerator, part: Any) -> list[Any]:
    import torch

    if isinstance(part, torch.nn.Module):
        return [accelerator.unwrap_model(part)]
    if isinstance(part, AcceleratedOptimizer):
        return [part.optimizer]
    if isinstance(part, AcceleratedScheduler):
        return [part.scheduler]
    return [] if isinstance(part, torch.utils.data.DataLoader) else [part]
