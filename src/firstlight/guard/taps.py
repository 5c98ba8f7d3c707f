"""What no single object can be asked for: backwards, clipping, loss scaling and batches, seen process-wide.

Wrapped while some guard listens, put back when the last one closes. Each wrapper calls torch's own function with what
it was given; a listener never sees the inside of a compiled graph.
"""

import functools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch.nn.utils import clip_grad
from torch.utils.data import dataloader


class Listener(Protocol):
    def backward_begins(self, root: torch.Tensor) -> None: ...
    def backward_ended(self) -> None: ...
    def clipped(self, parameters: list[torch.Tensor], max_norm: float, norm: torch.Tensor) -> None: ...
    def scaled(self, scaler: Any) -> None: ...
    def scaler_stepped(self, scaler: Any, optimizer: torch.optim.Optimizer) -> None: ...
    def batch_came(self, batch: Any, seconds: float) -> None: ...


@dataclass(frozen=True, slots=True)
class _Wrapped:
    owner: Any
    name: str
    original: Any
    ours: Any

    def restore(self) -> None:
        """Unless somebody wrapped it again: then ours stays below theirs, and passes everything on."""
        if getattr(self.owner, self.name) is self.ours:
            setattr(self.owner, self.name, self.original)


_listeners: list[Listener] = []
_wrapped: list[_Wrapped] = []


def listen(listener: Listener) -> None:
    if not _wrapped:
        _wrapped.extend(_install())
    _listeners.append(listener)


def leave(listener: Listener) -> None:
    if listener in _listeners:
        _listeners.remove(listener)
    if not _listeners:
        while _wrapped:
            _wrapped.pop().restore()


def _tell(moment: str, *arguments: Any) -> None:
    if torch.compiler.is_compiling():
        return
    for listener in tuple(_listeners):
        getattr(listener, moment)(*arguments)


def _install() -> Iterator[_Wrapped]:
    yield _wrap(torch.autograd, "backward", _backward)
    if hasattr(clip_grad, "_clip_grads_with_norm_"):  # torch 2.6: below `clip_grad_norm_`, under whatever name imported
        yield _wrap(clip_grad, "_clip_grads_with_norm_", _clip)
    else:
        yield _wrap(torch.nn.utils, "clip_grad_norm_", _clip_norm)
    yield _wrap(torch.amp.GradScaler, "scale", _scale)
    yield _wrap(torch.amp.GradScaler, "step", _scaler_step)
    yield _wrap(dataloader._BaseDataLoaderIter, "__next__", _next)


def _wrap(owner: Any, name: str, around: Callable[..., Any]) -> _Wrapped:
    original = getattr(owner, name)

    @functools.wraps(original)
    def ours(*arguments: Any, **keywords: Any) -> Any:
        return around(original, *arguments, **keywords)

    setattr(owner, name, ours)
    return _Wrapped(owner, name, original, ours)


def _backward(original: Callable[..., Any], tensors: Any, *arguments: Any, **keywords: Any) -> Any:
    root = tensors
    if not isinstance(root, torch.Tensor):
        root = next(iter(tensors), None) if isinstance(tensors, tuple | list) else None
    if isinstance(root, torch.Tensor) and root.numel() == 1:
        _tell("backward_begins", root)
    found = original(tensors, *arguments, **keywords)
    _tell("backward_ended")
    return found


def _clip(original: Callable[..., Any], parameters: Any, max_norm: Any, total: Any, *rest: Any, **keywords: Any) -> Any:
    several = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    found = original(several, max_norm, total, *rest, **keywords)
    if isinstance(total, torch.Tensor):
        _tell("clipped", several, float(max_norm), total.detach())
    return found


def _clip_norm(original: Callable[..., Any], parameters: Any, max_norm: Any, *rest: Any, **keywords: Any) -> Any:
    several = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    total = original(several, max_norm, *rest, **keywords)
    _tell("clipped", several, float(max_norm), total.detach())
    return total


def _scale(original: Callable[..., Any], scaler: Any, *arguments: Any, **keywords: Any) -> Any:
    found = original(scaler, *arguments, **keywords)
    if scaler.is_enabled():
        _tell("scaled", scaler)
    return found


def _scaler_step(original: Callable[..., Any], scaler: Any, optimizer: Any, *arguments: Any, **keywords: Any) -> Any:
    found = original(scaler, optimizer, *arguments, **keywords)
    if scaler.is_enabled():
        _tell("scaler_stepped", scaler, optimizer)
    return found


def _next(original: Callable[..., Any], iterator: Any) -> Any:
    begun = time.perf_counter()
    batch = original(iterator)
    _tell("batch_came", batch, time.perf_counter() - begun)
    return batch
