"""What a guard may be given."""

from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn
from torch.optim.lr_scheduler import LRScheduler

from firstlight.errors import UsageError


def parts_in(parts: Iterable[Any]) -> Iterator[Any]:
    """Whatever lists they come in; all of it is known before anything is attached."""
    for part in parts:
        if isinstance(part, list | tuple | dict):
            yield from parts_in(part.values() if isinstance(part, dict) else part)
        elif isinstance(part, nn.Module | torch.optim.Optimizer | LRScheduler | torch.amp.GradScaler):
            yield part
        else:
            kinds = "a model, an optimizer, a scheduler, a loss scaler, or a list of them"
            raise UsageError(f"guard was given {type(part).__name__}; it takes {kinds}.")
