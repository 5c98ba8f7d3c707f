"""Watches a live run: `firstlight.guard(model, optimizer)`.

The package and the function people call share a name, so the package itself is callable, however it was imported.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class _Callable(ModuleType):
    def __call__(self, *parts: Any, **options: Any) -> "Guard":
        from firstlight.guard.attach import guard

        return guard(*parts, **options)


sys.modules[__name__].__class__ = _Callable
