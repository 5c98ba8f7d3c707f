"""`torch.compile`: single operations are not observed inside compiled code, and compiled code never sees our mode.

A compiled function or a module compiled in place does not call module hooks, so its calls are told from here.
"""

import functools
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from firstlight.observe.inside.taps.models import Models
    from firstlight.observe.inside.taps.operations import Operations


def install(models: "Models", mode: "Operations") -> None:
    original = torch.compile

    @functools.wraps(original)
    def compile(model: Any = None, *arguments: Any, **keywords: Any) -> Any:
        if model is None:
            return lambda function: compile(function, *arguments, **keywords)
        made = original(model, *arguments, **keywords)
        if isinstance(made, torch.nn.Module):
            made.forward = _paused(made.forward, models, mode)  # an instance attribute that enters the compiled code
            return made
        return _paused(made, models, mode)

    torch.compile = compile
    in_place = torch.nn.Module.compile

    @functools.wraps(in_place)
    def compile_in_place(self: torch.nn.Module, *arguments: Any, **keywords: Any) -> None:
        in_place(self, *arguments, **keywords)
        self._compiled_call_impl = _told(self, _paused(self._compiled_call_impl, models, mode), models)

    torch.nn.Module.compile = compile_in_place  # type: ignore[method-assign]


def _paused(function: Any, models: "Models", mode: "Operations") -> Any:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if torch.is_grad_enabled():
            models.begin()
        with mode.pause():
            return function(*arguments, **keywords)

    return call


def _told(module: torch.nn.Module, function: Any, models: "Models") -> Any:
    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        models.before(module, arguments)
        output = None
        try:
            output = function(*arguments, **keywords)
            return output
        finally:
            models.after(module, arguments, keywords, output)

    return call
