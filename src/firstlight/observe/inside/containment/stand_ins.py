"""Puts a function in the place of a built-in one wherever a loaded module holds it."""

import os
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

Route = Callable[..., Any]
StandIns = dict[int, object]
"""What takes an object's place, by the object's `id`."""

_RAW = frozenset({"posix", "_io", "_frozen_importlib", "_frozen_importlib_external", "importlib._bootstrap_external"})


class StandIn:
    """Called, named and pickled as the built-in function is and, like it, never bound as a method."""

    def __init__(self, original: Route, module: str, route: Route) -> None:
        self._route = route
        self.__wrapped__ = original
        self.__name__ = self.__qualname__ = original.__name__
        self.__doc__ = original.__doc__
        self.__module__ = module

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._route(*args, **options)

    def __reduce__(self) -> str:
        return self.__name__


def rebind(stand_ins: StandIns) -> None:
    """In the standard library it looks into functions and classes as well."""
    for name in ("supports_dir_fd", "supports_fd", "supports_effective_ids", "supports_follow_symlinks"):
        capable: set[object] = getattr(os, name)
        capable.update([stand_ins[id(function)] for function in capable if id(function) in stand_ins])
    for name, module in tuple(sys.modules.items()):
        if name in _RAW or not isinstance(module, ModuleType):
            continue
        is_standard = name.partition(".")[0] in sys.stdlib_module_names
        for key, value in tuple(module.__dict__.items()):
            if id(value) in stand_ins:
                module.__dict__[key] = stand_ins[id(value)]
            elif is_standard and getattr(value, "__module__", None) == name:
                _rebind_within(value, stand_ins)


def _rebind_within(value: object, stand_ins: StandIns) -> None:
    """`def close(self, unlink=os.unlink)` and `scandir = staticmethod(os.scandir)` in a class hold originals too."""
    if isinstance(value, FunctionType):
        if value.__defaults__ and any(id(default) in stand_ins for default in value.__defaults__):
            value.__defaults__ = tuple(stand_ins.get(id(default), default) for default in value.__defaults__)
    elif isinstance(value, type):
        for key, member in tuple(vars(value).items()):
            held = member.__func__ if isinstance(member, staticmethod) else member
            if id(held) in stand_ins:
                setattr(value, key, stand_ins[id(held)])
            elif isinstance(member, FunctionType):
                _rebind_within(member, stand_ins)
