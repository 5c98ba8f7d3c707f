"""Optimizers built again on the same line for the same parameters: what the earlier one had gathered is lost."""

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.records.places import Site

MOST_LINES = 64
"""Lines and parameters that are remembered; a program that builds more optimizers is a search."""
PLAIN = (torch.Tensor, torch.nn.Parameter)
"""A sharded tensor is not read: that would be a conversation between ranks."""
TIP = 8
"""Values of a parameter that tell whether it was changed."""


@dataclass
class Generation:
    """One of the optimizers of a line, and the weights as its last step left them."""

    first: "weakref.ref[torch.Tensor]"
    tensors: int
    number: int = 0
    left: list[tuple["weakref.ref[torch.Tensor]", torch.Tensor]] = field(default_factory=list)

    def starts(self, optimizer: Any) -> None:
        """State that was copied over from the one before is not lost."""
        if any(keeps(state) for state in optimizer.state.values()):
            self.number = 0

    def stepped(self, parameters: Sequence[torch.Tensor]) -> None:
        ends = (parameters[0], parameters[-1]) if parameters else ()
        self.left = [(weakref.ref(p), _tip(p).clone()) for p in ends if type(p) in PLAIN and p.numel()]

    def is_continued(self, parameters: Sequence[torch.Tensor]) -> bool:
        """It stepped, and the same tensors still hold what it left: nobody began anew with them."""
        if not self.left or self.first() is not parameters[0] or self.tensors != len(parameters):
            return False
        return all((p := ref()) is not None and _is_as_left(p, tip) for ref, tip in self.left)


class Lineage:
    def __init__(self) -> None:
        self._latest: dict[tuple[str, Site, int], Generation] = {}

    def begun(self, optimizer: torch.optim.Optimizer, site: Site | None) -> Generation | None:
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        if site is None or not parameters:
            return None
        key = (type(optimizer).__name__, site, id(parameters[0]))
        before = self._latest.get(key)
        if before is None and len(self._latest) >= MOST_LINES:
            return None
        found = Generation(first=weakref.ref(parameters[0]), tensors=len(parameters))
        if before is not None and before.is_continued(parameters):
            found.number = before.number + 1
        self._latest[key] = found
        return found


def keeps(state: Any) -> bool:
    """An optimizer's state of one parameter is more than a count of steps."""
    items = state.values() if isinstance(state, Mapping) else ()
    return any(isinstance(item, torch.Tensor) and item.ndim > 0 for item in items)


def _is_as_left(parameter: torch.Tensor, tip: torch.Tensor) -> bool:
    if not parameter.numel() or (parameter.device, parameter.dtype) != (tip.device, tip.dtype):
        return False
    return torch.equal(_tip(parameter), tip)


def _tip(parameter: torch.Tensor) -> torch.Tensor:
    """Its first few values, read without copying the rest."""
    found = reading.values_of(parameter)
    return found[(0,) * (found.ndim - 1)][:TIP] if found.ndim else found
