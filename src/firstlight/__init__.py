"""Finds out what is broken in a training program before the machine time is spent."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstlight import integrations as integrations
    from firstlight.guard.attach import guard as guard
    from firstlight.guard.capture.choices import Capturing as Capturing

__version__ = "0.1.0"

_LAZY = {"guard": "firstlight.guard.attach", "Capturing": "firstlight.guard.capture.choices"}
"""Public names and the modules that hold them, imported on first use: `import firstlight` alone imports nothing."""


def __getattr__(name: str) -> Any:
    if name == "integrations":
        return import_module("firstlight.integrations")
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
