"""Calls of scikit-learn's metrics, each told with what it was given and what it came to."""

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from firstlight.observe.inside import sites

ENDINGS = ("_score", "_error", "_loss", "_matrix", "_report", "_curve")
Heard = Callable[[str, tuple[Any, ...], Any], None]
"""Name, arguments, result."""


def follow(module: ModuleType, heard: Heard) -> None:
    """All functions of `sklearn.metrics` that compute one."""
    for name in module.__all__:
        if name.endswith(ENDINGS):
            original = getattr(module, name)
            setattr(module, name, told := _MetricTold(original, heard, name))
            _rebind(original, told)


def _rebind(original: Any, told: Any) -> None:
    """Also where a file of the user's has it already: it was imported before torch."""
    for module in list(sys.modules.values()):
        if sites.is_users(str(getattr(module, "__file__", None) or "<")):
            for name, value in list(vars(module).items()):
                if value is original:
                    setattr(module, name, told)


class _MetricTold:
    """In place of a function. A worker process to which it is sent gets the function itself."""

    def __init__(self, function: Any, heard: Heard, name: str) -> None:
        functools.update_wrapper(self, function)
        self._function, self._heard, self._name = function, heard, name

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        found = self._function(*arguments, **options)
        with contextlib.suppress(Exception):  # whatever it is given
            self._heard(self._name, (*arguments, *options.values()), found)
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _original, (self._function.__module__, self._name)


def _original(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)
