"""Steers the call of a loss function: repairs that mend its inputs, and what it is told to do with them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

Arguments = tuple[tuple[Any, ...], dict[str, Any]]
Mend = Callable[[str, tuple[Any, ...], dict[str, Any]], Arguments]
TINY = 1e-9
SCORED = ("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits")
ELEMENTWISE = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")


class Steered(TorchFunctionMode):
    def __init__(self, mend: Mend, functions: tuple[str, ...]) -> None:
        super().__init__()
        self._mend, self._functions = mend, functions

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if name in self._functions and torch.is_grad_enabled():
            args, kwargs = self._mend(name, args, kwargs)
        return func(*args, **kwargs)


def _steer(mend: Mend, *functions: str) -> None:
    Steered(mend, functions).__enter__()  # type: ignore[no-untyped-call]  # stays for the life of the timeline


def with_input(
    args: tuple[Any, ...], kwargs: dict[str, Any], change: Callable[[torch.Tensor], torch.Tensor]
) -> Arguments:
    if args:
        return (change(args[0]), *args[1:]), kwargs
    return args, {**kwargs, "input": change(kwargs["input"])}


def target_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[1] if len(args) > 1 else kwargs.get("target")


def with_target(args: tuple[Any, ...], kwargs: dict[str, Any], target: torch.Tensor) -> Arguments:
    if len(args) > 1:
        return (args[0], target, *args[2:]), kwargs
    return args, {**kwargs, "target": target}


def undo_activation(_observer: "Observer", _value: str) -> None:
    """Log of probabilities, logit of a sigmoid: what went in before the activation, up to a constant."""

    def mend(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        if name == "cross_entropy":
            return with_input(args, kwargs, lambda p: p.clamp_min(TINY).log())
        return with_input(args, kwargs, lambda p: torch.logit(p, eps=1e-6))

    _steer(mend, "cross_entropy", "binary_cross_entropy_with_logits")


def add_activation(_observer: "Observer", _value: str) -> None:
    def mend(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        return with_input(args, kwargs, lambda p: F.log_softmax(p, dim=1 if p.ndim > 1 else 0))

    _steer(mend, "nll_loss", "kl_div")


def match_target(_observer: "Observer", _value: str) -> None:
    def mend(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        prediction = args[0] if args else kwargs["input"]
        target = target_of(args, kwargs)
        if prediction.numel() == target.numel() and prediction.shape != target.shape:
            target = target.reshape(prediction.shape)
        return with_target(args, kwargs, target)

    _steer(mend, *ELEMENTWISE)


def steer_targets(change: Callable[[torch.Tensor], torch.Tensor]) -> None:
    """From the second call on; the first belongs to inputs that were not steered yet."""
    calls: list[str] = []

    def mend(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        calls.append(name)
        target = target_of(args, kwargs)
        if len(calls) == 1 or not isinstance(target, torch.Tensor) or target.requires_grad:
            return args, kwargs
        return with_target(args, kwargs, change(target))

    _steer(mend, *ELEMENTWISE, *SCORED)


def standardise_targets(_observer: "Observer", _value: str) -> None:
    """By the mean and the spread of the first batch, which stay."""
    kept: dict[str, tuple[torch.Tensor, torch.Tensor]] = {}

    def mend(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        target = target_of(args, kwargs)
        if not target.is_floating_point() or len(target.shape) == 0 or len(target) < 2:
            return args, kwargs
        with torch.no_grad():
            mean, spread = kept.setdefault(name, (target.mean(0, keepdim=True), target.std(0, keepdim=True)))
            scaled = (target - mean) / (spread + TINY)
        return with_target(args, kwargs, scaled)

    _steer(mend, *ELEMENTWISE)


def average(_observer: "Observer", _value: str) -> None:
    """The loss divided by the number of examples, as its mean would be."""
    original = torch.autograd.backward
    rows: list[int] = []

    def note(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        prediction = args[0] if args else kwargs["input"]
        if not rows and prediction.ndim:
            rows.append(len(prediction))
        return args, kwargs

    def backward(tensors: Any, *arguments: Any, **keywords: Any) -> None:
        root = tensors if isinstance(tensors, torch.Tensor) else tensors[0]
        original(root / (rows[0] if rows else 1), *arguments, **keywords)

    _steer(note, *ELEMENTWISE, *SCORED)
    torch.autograd.backward = backward


def no_smoothing(_observer: "Observer", _value: str) -> None:
    def mend(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        return args, {**kwargs, "label_smoothing": 0.0} if "label_smoothing" in kwargs else kwargs

    _steer(mend, "cross_entropy")


def sharpen(_observer: "Observer", value: str) -> None:
    """Scores multiplied before the softmax, as by a lower temperature."""
    factor = float(value)

    def mend(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        return with_input(args, kwargs, lambda scores: scores * factor)

    _steer(mend, "cross_entropy")


def flip_sign(_observer: "Observer", _value: str) -> None:
    original = torch.autograd.backward

    def backward(tensors: Any, *arguments: Any, **keywords: Any) -> None:
        root = tensors if isinstance(tensors, torch.Tensor) else tensors[0]
        original(-root, *arguments, **keywords)

    torch.autograd.backward = backward
