"""What is asked of an optimizer, whatever its kind and whoever wrapped it."""

from typing import Any

import torch

from firstlight.errors import UsageError


def has_closure(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    return callable(keywords.get("closure")) or any(callable(argument) for argument in arguments[1:] or arguments)


def must_skip(optimizer: torch.optim.Optimizer) -> None:
    if not getattr(unwrapped(optimizer), "_step_supports_amp_scaling", False):
        name = type(optimizer).__name__
        raise UsageError(f"on_nonfinite='skip' needs a fused optimizer; make it as {name}(..., fused=True).")


def unwrapped(optimizer: Any) -> torch.optim.Optimizer:
    """The one whose hooks run: frameworks put theirs around it."""
    while isinstance(inner := getattr(optimizer, "optimizer", None), torch.optim.Optimizer):
        optimizer = inner
    return optimizer  # type: ignore[no-any-return]  # an optimizer, by what was asked above


def rate_of(optimizer: torch.optim.Optimizer) -> float | None:
    """The largest of its groups'; None where it lies on a device, since reading it would wait."""
    found = []
    for group in optimizer.param_groups:
        lr: Any = group.get("lr")
        if isinstance(lr, torch.Tensor):
            if lr.device.type != "cpu":
                return None
            lr = lr.item()
        if lr is not None:
            found.append(float(lr))
    return max(found, default=None)
