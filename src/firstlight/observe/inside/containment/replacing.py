"""Replaces a function of a module that may not be imported yet."""

import functools
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from firstlight.observe.inside.containment.stand_ins import Route
from firstlight.observe.inside.imports import when_imported

Wrap = Callable[[Route], Route]


def replace_when_imported(module: str, dotted: str, wrap: Wrap) -> None:
    when_imported(module, functools.partial(replace, dotted, wrap))


def replace(dotted: str, wrap: Wrap, module: ModuleType) -> None:
    """A name that is not there is left alone: it differs between versions of a library."""
    owner: Any = module
    *owners, name = dotted.split(".")
    for part in owners:
        owner = getattr(owner, part, None)
    original = getattr(owner, name, None)
    if original is None or getattr(original, "is_routed", False):
        return
    wrapper: Any = functools.wraps(original, updated=())(wrap(original))
    wrapper.is_routed = True
    if isinstance(original, type):
        wrapper = ClassStandIn(original, wrapper)
    is_static = isinstance(inspect.getattr_static(owner, name), staticmethod)
    setattr(owner, name, staticmethod(wrapper) if is_static else wrapper)


class ClassStandIn:
    """Takes a native class's place: makes its instances with a mapped path, and is otherwise the class."""

    is_routed = True

    def __init__(self, original: type, make: Route) -> None:
        self.__wrapped__ = original
        self._make = make

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._make(*args, **options)

    def __instancecheck__(self, instance: object) -> bool:
        return isinstance(instance, self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)
