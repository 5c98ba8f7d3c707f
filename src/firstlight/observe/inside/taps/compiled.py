"""`torch.compile`: single operations are not observed inside compiled code, and compiled code never sees our mode."""

import functools
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.operations import Operations


def install(observer: "Observer", mode: "Operations") -> None:
    original = torch.compile

    @functools.wraps(original)
    def compile(model: Any = None, *arguments: Any, **keywords: Any) -> Any:
        if model is None:
            return lambda function: compile(function, *arguments, **keywords)
        made = original(model, *arguments, **keywords)
        if isinstance(made, torch.nn.Module):
            _pause_around_forward(made, mode)
            return made
        return _paused(made, mode)

    torch.compile = compile
    in_place = torch.nn.Module.compile

    @functools.wraps(in_place)
    def compile_in_place(self: torch.nn.Module, *arguments: Any, **keywords: Any) -> None:
        in_place(self, *arguments, **keywords)
        self._compiled_call_impl = _paused(self._compiled_call_impl, mode)

    torch.nn.Module.compile = compile_in_place  # type: ignore[method-assign]


def _paused(function: Any, mode: "Operations") -> Any:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        with mode.pause():
            return function(*arguments, **keywords)

    return call


def _pause_around_forward(module: torch.nn.Module, mode: "Operations") -> None:
    """An `OptimizedModule` calls its `forward`, an instance attribute, for the compiled code."""
    module.forward = _paused(module.forward, mode)
