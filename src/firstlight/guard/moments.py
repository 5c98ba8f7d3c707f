"""The moments of a guarded run at which others are told: captures, sinks, integrations."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from firstlight.records.telemetry import StepRow, Trip

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


@dataclass
class Moments:
    """Who wants to be told of what. Each is called with the guard first; what it raises switches it off, no more."""

    backward_begins: list[Callable[["Guard", torch.Tensor], None]] = field(default_factory=list)
    """With the loss, detached."""
    step_begins: list[Callable[["Guard", torch.optim.Optimizer], None]] = field(default_factory=list)
    """The gradients are there, the weights have not moved."""
    step_ended: list[Callable[["Guard", torch.optim.Optimizer], None]] = field(default_factory=list)
    batch_came: list[Callable[["Guard", Any], None]] = field(default_factory=list)
    """From a loader, in this process."""
    measured: list[Callable[["Guard", StepRow], None]] = field(default_factory=list)
    """The numbers of a step are here; on a device that is a step or two after it."""
    leapt: list[Callable[["Guard", StepRow], None]] = field(default_factory=list)
    """Loss or gradients of a step are suddenly far larger than usual; on the host its weights have not moved yet."""
    tripped: list[Callable[["Guard", Trip], None]] = field(default_factory=list)
    """Before the training is warned or stopped."""
    crashed: list[Callable[["Guard", BaseException], None]] = field(default_factory=list)
    """The program raised something that ends it."""
    closing: list[Callable[["Guard"], None]] = field(default_factory=list)
