"""Whether an optimizer that was given the state of an earlier run got all of it."""

import math

import torch

from firstlight.guard.statistics.subjects import Subjects
from firstlight.records.live import Resumed

MOMENTA = ("momentum_buffer", "exp_avg")
"""Where optimizers keep the mean of past gradients."""


def momentum_over_gradient(optimizer: torch.optim.Optimizer) -> float:
    """How large what the optimizer remembers is, over what the gradients of now would have left there; NaN if unknown.

    A momentum that gradients like these made is at most as long as theirs would be after many equal steps: 1."""
    kept = made = 0.0
    for group in optimizer.param_groups:
        fresh = 1 - float(group["momentum"]) if group.get("momentum") else 1.0
        for parameter in group["params"]:
            state = optimizer.state.get(parameter) or {}
            momentum = next((state[name] for name in MOMENTA if isinstance(state.get(name), torch.Tensor)), None)
            if momentum is not None and parameter.grad is not None and not parameter.grad.is_sparse:
                kept += (fresh * float(momentum.norm())) ** 2
                made += float(parameter.grad.norm()) ** 2
    return math.sqrt(kept / made) if made > 0 else math.nan


def resumed_state(optimizer: torch.optim.Optimizer, subjects: Subjects, rank: int) -> Resumed:
    without, mismatched, first = 0, 0, None
    trained = [(n, p) for n, p in zip(subjects.names, subjects.parameters, strict=True) if p.requires_grad]
    for name, parameter in trained:
        state = optimizer.state.get(parameter) or {}
        shapes = [value.shape for value in state.values() if isinstance(value, torch.Tensor) and value.ndim]
        missing, wrong = not state, any(shape != parameter.shape for shape in shapes)
        without, mismatched = without + missing, mismatched + wrong
        first = name if first is None and (missing or wrong) else first
    return Resumed(
        rank=rank,
        name=type(optimizer).__name__,
        parameters=len(trained),
        without_state=without,
        mismatched=mismatched,
        first=first,
    )
