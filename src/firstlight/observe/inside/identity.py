"""Objects of the user's known by what they are, never by what they say: `==`, `hash` and `bool` may be the user's."""

import weakref
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class ByIdentity(Generic[T]):
    """A value for each object, as long as the object lives."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], T]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def __setitem__(self, thing: object, value: T) -> None:
        key = id(thing)

        def forget(reference: "weakref.ref[Any]") -> None:
            if self._known.get(key, (None,))[0] is reference:
                del self._known[key]

        self._known[key] = (weakref.ref(thing, forget), value)

    def __iter__(self) -> Iterator[Any]:
        """The objects that still live."""
        found = [reference() for reference, _ in list(self._known.values())]
        return iter([thing for thing in found if thing is not None])

    def __contains__(self, thing: object) -> bool:
        return self.get(thing, None) is not None

    def get(self, thing: object, default: T | None) -> T | None:
        reference, value = self._known.get(id(thing), (None, default))
        return value if reference is not None and reference() is thing else default
