"""`torch.autograd.grad`, in a program that calls no `backward`: gradients that its own code applies, or hands to an
optimizer.

They are taken as a backward leaves them, and end in no `grad`. A gradient of anything but trained tensors, one that is
to be differentiated itself, and one that is taken beside backwards are measurements. So is whatever is taken from a
graph that is used again, unless an optimizer has made steps without any backward: several losses then share a graph.
"""

import functools
from collections.abc import Sequence
from typing import Any

import torch

from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.backward import begin_backward, end_backward


class GradientsTaken:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._count = 0

    def trains(self, root: Any, inputs: Sequence[Any], options: dict[str, Any]) -> bool:
        observer = self.observer
        if observer.inert or observer.in_backward or observer.reading or torch.compiler.is_compiling():
            return False
        handed = observer.has_optimizer()
        if observer.backwards != self._count or (handed and not observer.step):
            return False
        once = not options.get("create_graph") and (handed or not options.get("retain_graph"))
        scalar = isinstance(root, torch.Tensor) and root.numel() == 1 and root.requires_grad
        return once and scalar and any(isinstance(one, torch.Tensor) and one.is_leaf for one in inputs)

    def tell(self, root: torch.Tensor, inputs: Sequence[Any], found: Sequence[Any]) -> None:
        """While it is told, what was taken stands beside the tensors it was taken by."""
        pairs = zip(inputs, found, strict=False)
        self.observer.taken = {id(one): gradient for one, gradient in pairs if isinstance(gradient, torch.Tensor)}
        self._count = self.observer.backwards + 1
        try:
            end_backward(self.observer, root)
        finally:
            self.observer.taken = {}


def install(observer: Observer) -> None:
    taken = GradientsTaken(observer)
    original: Any = torch.autograd.grad

    @functools.wraps(original)
    def grad(outputs: Any, inputs: Any, *arguments: Any, **options: Any) -> Any:
        if observer.finished:
            observer.spend()
        root, *others = outputs if isinstance(outputs, list | tuple) and outputs else (outputs,)
        wanted = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
        if others or not taken.trains(root, wanted, {**dict(zip(POSITIONAL, arguments, strict=False)), **options}):
            return original(outputs, inputs, *arguments, **options)
        begin_backward(observer, root, retain=False)
        observer.in_backward = True
        try:
            found = original(outputs, inputs, *arguments, **options)
        finally:
            observer.in_backward = False
        taken.tell(root, wanted, found)
        return found

    torch.autograd.grad = grad


POSITIONAL = ("grad_outputs", "retain_graph", "create_graph")
"""What follows the outputs and the inputs."""
