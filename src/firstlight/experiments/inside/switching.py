"""Whoever wants to know is told when a line of the program freezes or thaws a tensor."""

import functools
from collections.abc import Callable
from typing import Any

import torch


def follow(tell: Callable[[torch.Tensor, bool, bool], None]) -> None:
    """`p.requires_grad = …` and `p.requires_grad_(…)`, which modules call too: what it was, and what it is since."""
    kind: Any = torch.nn.Parameter
    tensor: Any = torch.Tensor
    assign, method = kind.__setattr__, tensor.requires_grad_

    def set_attribute(self: Any, name: str, value: Any) -> None:
        was = self.requires_grad
        assign(self, name, value)
        if name == "requires_grad":
            tell(self, was, self.requires_grad)

    @functools.wraps(method)
    def requires_grad_(self: torch.Tensor, requires_grad: bool = True) -> torch.Tensor:
        was = self.requires_grad
        found: torch.Tensor = method(self, requires_grad)
        tell(self, was, self.requires_grad)
        return found

    kind.__setattr__ = set_attribute
    tensor.requires_grad_ = requires_grad_
