"""One adapter per framework or tracker, imported when it is used: `firstlight.integrations.lightning.Guard()`."""

from importlib import import_module
from typing import Any

_ADAPTERS = ("accelerate", "lightning", "transformers")


def __getattr__(name: str) -> Any:
    if name in _ADAPTERS:
        return import_module(f"firstlight.integrations.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
