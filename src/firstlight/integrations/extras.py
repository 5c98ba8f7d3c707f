"""Packages that only some of us need: there, or named with the words that install them."""

import importlib
from types import ModuleType

from firstlight.errors import UsageError


def needed(module: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise UsageError(
            f"this needs the package `{module.partition('.')[0]}` ({error}). "
            f"Install it with `pip install 'firstlight[{extra}]'`."
        ) from None
