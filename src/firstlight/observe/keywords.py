"""A misspelt keyword of a public class is answered with the one it was most likely meant to be."""

import dataclasses
import difflib
import functools
from typing import Any, TypeVar

from firstlight.errors import UsageError

Kind = TypeVar("Kind", bound=type)


def nearest_keyword(kind: Kind) -> Kind:
    """For dataclasses: what they do not take is told in our words, before Python says it in its own."""
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    original: Any = vars(kind)["__init__"]

    @functools.wraps(original)
    def init(self: Any, *arguments: Any, **keywords: Any) -> None:
        unknown = next((name for name in keywords if name not in names), None)
        if unknown is not None:
            near = difflib.get_close_matches(unknown, names, 1)
            meant = f" Was `{near[0]}` meant?" if near else ""
            raise UsageError(f"{kind.__name__} takes no `{unknown}`.{meant} It takes {', '.join(names)}.")
        original(self, *arguments, **keywords)

    type.__setattr__(kind, "__init__", init)
    return kind
