"""Steers the models: their mode, their precision, their units, their weights."""

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.experiments.inside.steering import changed
from firstlight.observe.inside.observer import Observer

LEAK = 0.1
HALVES = (torch.float16, torch.bfloat16)


def no_dropout(observer: Observer, _value: str) -> None:
    """Modules and the functional form alike become the identity."""

    def skip(value: torch.Tensor, *_: Any, **__: Any) -> torch.Tensor:
        return value

    def pass_on(_module: torch.nn.Module, given: torch.Tensor) -> torch.Tensor:
        return given

    for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"):
        setattr(torch.nn.functional, name, skip)
    setattr(torch, "dropout", skip)  # noqa: B010  # typed as a C function
    for kind in _with_subclasses(torch.nn.modules.dropout._DropoutNd):
        kind.forward = pass_on


def _with_subclasses(kind: Any) -> list[Any]:
    return [kind, *(child for direct in kind.__subclasses__() for child in _with_subclasses(direct))]


def train_mode(_observer: Observer, _value: str) -> None:
    hold_mode(training=True)


def eval_mode(_observer: Observer, _value: str) -> None:
    hold_mode(training=False)


def hold_mode(
    training: bool, gradients: bool = True, changed: Callable[[torch.nn.Module], None] = lambda _: None
) -> None:
    """Every module called with gradients, or without, is in this mode; `changed` is told of those that were not."""

    def set_mode(module: torch.nn.Module, _given: Any) -> None:
        if torch.is_grad_enabled() == gradients and module.training != training:
            changed(module)
            module.train(training)

    torch.nn.modules.module.register_module_forward_pre_hook(set_mode)


def fp32(observer: Observer, _value: str) -> None:
    """No autocast, no loss scale, and weights, buffers and inputs of half precision in full."""
    original = torch.amp.autocast_mode.autocast.__init__

    def disabled(self: Any, *arguments: Any, **keywords: Any) -> None:
        keywords["enabled"] = False
        original(self, *arguments, **keywords)

    torch.amp.autocast_mode.autocast.__init__ = disabled  # type: ignore[method-assign]
    scaler: Any = torch.amp.GradScaler
    scaler.scale = lambda _self, outputs: outputs
    scaler.unscale_ = lambda _self, _optimizer: None
    scaler.step = lambda _self, optimizer, *a, **k: optimizer.step(*a, **k)
    scaler.update = lambda _self, *_: None
    for held in observer.optimizers():
        _widen(held.parameters)

    def widen(module: torch.nn.Module, given: tuple[Any, ...]) -> Any:
        _widen([*module.parameters(recurse=False), *module.buffers(recurse=False)])
        return changed(given, lambda tensor: tensor.float() if tensor.dtype in HALVES else tensor)

    torch.nn.modules.module.register_module_forward_pre_hook(widen)


def _widen(tensors: Iterable[torch.Tensor]) -> None:
    for tensor in tensors:
        if tensor.dtype in HALVES:
            tensor.data = tensor.data.float()


def leaky_units(_observer: Observer, _value: str) -> None:
    _Leaky().__enter__()  # type: ignore[no-untyped-call]  # stays for the life of the timeline


class _Leaky(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") in ("relu", "relu_") and args:
            return torch.nn.functional.leaky_relu(args[0], LEAK)
        return func(*args, **(kwargs or {}))


def reinitialise(_observer: Observer, _value: str) -> None:
    """Each layer as torch itself would have made it, when it is first called."""
    done: set[int] = set()

    def begin_anew(module: torch.nn.Module, _given: Any) -> None:
        reset = getattr(module, "reset_parameters", None)
        if callable(reset) and id(module) not in done:
            done.add(id(module))
            with torch.no_grad():
                reset()

    torch.nn.modules.module.register_module_forward_pre_hook(begin_anew)


def thaw(observer: Observer, _value: str) -> None:
    def melt(call: Any) -> None:
        for parameter in call.module.parameters():
            parameter.requires_grad_(True)

    observer.moments.model_returned.append(melt)
