"""Finds out what is broken in a training program before the machine time is spent."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstlight.errors import SchemaError as SchemaError
    from firstlight.schema import Column as Column
    from firstlight.schema import validate_schema as validate_schema

__version__ = "0.1.0"

PUBLIC = {
    "Column": "firstlight.schema",
    "SchemaError": "firstlight.errors",
    "validate_schema": "firstlight.schema",
}
"""Public names and the modules they come from, which are imported when a name is first used."""


def __getattr__(name: str) -> Any:
    if name not in PUBLIC:
        raise AttributeError(f"module `firstlight` has no attribute `{name}`; it offers {', '.join(sorted(PUBLIC))}")
    return getattr(importlib.import_module(PUBLIC[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *PUBLIC])
