"""Feeds values as they are before a call that makes many of them the same."""

from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from firstlight.observe.inside import sites
from firstlight.observe.inside.tape.levels import change_of, levels, uses_values
from firstlight.records.places import Site

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer


class _Kept(TorchFunctionMode):
    """What a call does to the first values that it is given holds for those that follow."""

    def __init__(self) -> None:
        super().__init__()
        self._levels: dict[tuple[str, Site | None], bool] = {}

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        given, name = args[0] if args else None, getattr(func, "__name__", "")
        if not isinstance(given, torch.Tensor) or not isinstance(result, torch.Tensor) or given.requires_grad:
            return result
        alone = not any(isinstance(other, torch.Tensor) for other in args[1:])
        if not alone or not torch.is_grad_enabled() or result.shape != given.shape or not given.is_floating_point():
            return result
        return given if self._asked(name, given, result) else result

    def _asked(self, name: str, given: torch.Tensor, made: torch.Tensor) -> bool:
        key = (name, sites.caller())
        if key not in self._levels:
            with torch._C.DisableTorchFunction():
                change = change_of(given, made) if uses_values(name) and given.ndim > 1 else None
            self._levels[key] = change is not None and levels(change)
        return self._levels[key]


def keep(_observer: "Observer", _value: str) -> None:
    _Kept().__enter__()  # type: ignore[no-untyped-call]  # stays for the life of the timeline
