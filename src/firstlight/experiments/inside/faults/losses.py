"""Faults where prediction and target meet: the arguments of torch's loss functions, and what they return."""

import functools
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from firstlight.experiments.inside import loss_steering
from firstlight.experiments.inside.loss_steering import ELEMENTWISE, SCORED, Arguments

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

Applied = Callable[[], None]
Call = Callable[..., Any]
Change = Callable[[torch.Tensor], torch.Tensor]
WITH_ACTIVATION = ("cross_entropy", "binary_cross_entropy_with_logits")
TERM = 1000.0
NOISY = 0.5
"""Share of the targets that are another example's."""


def _plant(fault: Callable[..., Any], *functions: str) -> None:
    """`fault` is called in place of each function in training: with it, and with its name and arguments.

    Torch hands a function that is observed on under its name, which leads here a second time.
    """
    local = threading.local()

    def replace(name: str) -> None:
        original: Any = getattr(F, name)

        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            prediction = args[0] if args else kwargs.get("input")
            if getattr(local, "inside", False) or not _trains(prediction):
                return original(*args, **kwargs)
            local.inside = True
            try:
                return fault(original, name, args, kwargs)
            finally:
                local.inside = False

        setattr(F, name, call)

    for name in functions:
        replace(name)


def _trains(prediction: Any) -> bool:
    return isinstance(prediction, torch.Tensor) and prediction.requires_grad and torch.is_grad_enabled()


def _plant_in_targets(change: Change, applied: Applied) -> None:
    def fault(original: Call, _name: str, args: Any, kwargs: Any) -> Any:
        target = loss_steering.target_of(args, kwargs)
        if isinstance(target, torch.Tensor) and target.ndim and len(target) > 1 and not target.requires_grad:
            applied()
            args, kwargs = loss_steering.with_target(args, kwargs, change(target))
        return original(*args, **kwargs)

    _plant(fault, *SCORED, *ELEMENTWISE)


def targets_permuted(_observer: "Observer", applied: Applied) -> None:
    generator = torch.Generator().manual_seed(4)
    _plant_in_targets(lambda target: target[_order(target, generator)], applied)


def _order(target: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randperm(len(target), generator=generator, device="cpu").to(target.device)


def targets_shifted(_observer: "Observer", applied: Applied) -> None:
    _plant_in_targets(lambda target: target.roll(1, 0), applied)


def targets_stale(_observer: "Observer", applied: Applied) -> None:
    kept: dict[tuple[torch.Size, torch.dtype], torch.Tensor] = {}

    def before(target: torch.Tensor) -> torch.Tensor:
        found = kept.get((target.shape, target.dtype), target)
        kept[target.shape, target.dtype] = target.detach().clone()
        return found

    _plant_in_targets(before, applied)


def labels_noisy(_observer: "Observer", applied: Applied) -> None:
    generator = torch.Generator().manual_seed(5)

    def mix(target: torch.Tensor) -> torch.Tensor:
        wrong = torch.rand(len(target), generator=generator, device="cpu") < NOISY
        order = torch.arange(len(target))
        order[wrong] = _order(target, generator).cpu()[wrong]
        return target[order.to(target.device)]

    _plant_in_targets(mix, applied)


def activation_twice(_observer: "Observer", applied: Applied) -> None:
    def fault(original: Call, name: str, args: Any, kwargs: Any) -> Any:
        applied()
        activate: Change = torch.sigmoid
        if name == "cross_entropy":
            activate = lambda scores: torch.softmax(scores, 1 if scores.ndim > 1 else 0)  # noqa: E731
        args, kwargs = loss_steering.with_input(args, kwargs, activate)
        return original(*args, **kwargs)

    _plant(fault, *WITH_ACTIVATION)


def sign_flipped(observer: "Observer", applied: Applied) -> None:
    observer.moments.backward_begins.append(lambda *_: applied())
    loss_steering.flip_sign(observer, "")


def term_thousandfold(observer: "Observer", applied: Applied) -> None:
    _plant_in_terms(observer, lambda nth, value: value * TERM if nth == 0 else value, applied)


def term_dropped(observer: "Observer", applied: Applied) -> None:
    _plant_in_terms(observer, lambda nth, value: value if nth == 0 else value * 0.0, applied)


def _plant_in_terms(
    observer: "Observer", change: Callable[[int, torch.Tensor], torch.Tensor], applied: Applied
) -> None:
    """The terms of a loss are counted from one backward to the next."""
    counted = {"backward": -1, "terms": 0}

    def fault(original: Call, _name: str, args: Any, kwargs: Any) -> Any:
        if counted["backward"] != observer.backwards:
            counted.update(backward=observer.backwards, terms=0)
        value = original(*args, **kwargs)
        changed = change(counted["terms"], value)
        counted["terms"] += 1
        if changed is not value:
            applied()
        return changed

    _plant(fault, *SCORED, *ELEMENTWISE)


def summed(_observer: "Observer", applied: Applied) -> None:
    def fault(original: Call, _name: str, args: Any, kwargs: Any) -> Any:
        if kwargs.get("reduction", "mean") == "mean":
            applied()
            kwargs = {**kwargs, "reduction": "sum"}
        return original(*args, **kwargs)

    _plant(fault, *SCORED, *ELEMENTWISE)


def broadcast(_observer: "Observer", applied: Applied) -> None:
    def fault(original: Call, _name: str, args: Any, kwargs: Any) -> Any:
        prediction = args[0] if args else kwargs["input"]
        target = loss_steering.target_of(args, kwargs)
        if prediction.shape == target.shape and prediction.numel() == len(prediction) > 1:
            applied()
            other = target.reshape(-1) if target.ndim > 1 else target.reshape(-1, 1)
            args, kwargs = loss_steering.with_target(args, kwargs, other)
        return original(*args, **kwargs)

    _plant(fault, *ELEMENTWISE)


def examples_not_counted(_observer: "Observer", applied: Applied) -> None:
    def fault(original: Call, _name: str, args: Any, kwargs: Any) -> Any:
        target = loss_steering.target_of(args, kwargs)
        half = len(target) // 2 if target.ndim else 0
        if half and kwargs.get("reduction", "mean") != "none":
            applied()
            args, kwargs = _from_on(half, args, kwargs, target)
        return original(*args, **kwargs)

    _plant(fault, *SCORED, *ELEMENTWISE)


def _from_on(half: int, args: Any, kwargs: Any, target: torch.Tensor) -> Arguments:
    args, kwargs = loss_steering.with_input(args, kwargs, lambda prediction: prediction[half:])
    return loss_steering.with_target(args, kwargs, target[half:])
