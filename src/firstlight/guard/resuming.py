"""Whether an optimizer that was given the state of an earlier run got all of it."""

import torch

from firstlight.guard.statistics.subjects import Subjects
from firstlight.records.live import Resumed


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
