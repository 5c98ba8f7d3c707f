"""`torch.func.grad` and `grad_and_value`: gradients taken without a backward."""

import functools
from typing import Any

import torch
from torch._functorch import eager_transforms

from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.backward import begin_backward, end_backward


def install(observer: Observer) -> None:
    original = eager_transforms.grad_and_value_impl

    @functools.wraps(original)
    def grad_and_value(*arguments: Any, **keywords: Any) -> Any:
        if _within_a_gradient() or observer.inert or torch.compiler.is_compiling():
            return original(*arguments, **keywords)
        found = original(*arguments, **keywords)
        _tell(observer, found)
        return found

    eager_transforms.grad_and_value_impl = grad_and_value


def _within_a_gradient() -> bool:
    """A gradient of a gradient is no step; one taken for every member of an ensemble at once (`vmap`) is."""
    stack = torch._C._functorch.get_interpreter_stack() or []
    return any(level.key() != torch._C._functorch.TransformType.Vmap for level in stack)


def _tell(observer: Observer, found: Any) -> None:
    """The value stands in for the loss; its graph is gone by now, and its gradients belong to the caller."""
    value = found[1][0] if isinstance(found[1], tuple) else found[1]
    while isinstance(value, torch.Tensor) and torch._C._functorch.is_functorch_wrapped_tensor(value):
        value = torch._C._functorch.get_unwrapped(value).float().mean()
    if isinstance(value, torch.Tensor) and value.numel() == 1:
        observer.functional = True
        begin_backward(observer, value.detach(), retain=False, functional=True)
        end_backward(observer, value)
