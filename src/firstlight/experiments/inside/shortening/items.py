"""What a loop goes over: how much there is of it, and its last item."""

import operator
import time
from collections.abc import Iterator
from typing import Any

SKIP_SECONDS = 0.5
"""For reading on to the last item of what a loop goes over."""
PLAIN = frozenset(
    {
        *("range", "list", "tuple", "range_iterator", "list_iterator", "tuple_iterator"),
        *("DataLoader", "_BaseDataLoaderIter", "DataLoaderAdapter", "_FabricDataLoader"),
    }
)
"""Kinds whose items can be read over: doing so changes nothing but the place in them."""


def last_of(items: Iterator[Any]) -> list[Any]:
    """The last item, in a list; an empty list where there is none, or it takes too long to get there."""
    until = time.monotonic() + SKIP_SECONDS
    found: list[Any] = []
    for item in items:
        found = [item]
        if time.monotonic() > until:
            return []
    return found


def innermost(iterable: Any) -> Any:
    """What `enumerate`, `zip` and progress bars go over, if reading it on does nothing else; else None."""
    if isinstance(iterable, enumerate | zip):
        inner = iterable.__reduce__()[1]
        parts = [innermost(part) for part in (inner[:1] if isinstance(iterable, enumerate) else inner)]
        return parts[0] if parts and all(part is not None for part in parts) else None
    if hasattr(iterable, "iterable") and hasattr(iterable, "update"):
        return innermost(iterable.iterable)
    kinds = {kind.__name__ for kind in type(iterable).__mro__}
    return iterable if kinds & PLAIN and length(iterable, 0) is not None else None


def planned(iterable: Any, made: int) -> int | None:
    """Rounds of a loop over it, which has made some: it need not be of a kind that can be read over."""
    iterable = _maker(iterable)
    if isinstance(iterable, enumerate | zip):
        inner = iterable.__reduce__()[1]
        counts = [planned(part, made) for part in (inner[:1] if isinstance(iterable, enumerate) else inner)]
        known = [count for count in counts if count is not None]
        return min(known) if known and len(known) == len(counts) else None
    if hasattr(iterable, "iterable") and hasattr(iterable, "update"):
        return planned(iterable.iterable, made)
    return length(iterable, made)


def _maker(items: Any) -> Any:
    """What knows how much there is, where its `__iter__` is a generator and only that is at hand."""
    frame = getattr(items, "gi_frame", None)
    return items if frame is None or frame.f_code.co_name != "__iter__" else frame.f_locals.get("self", items)


def length(source: Any, made: int) -> int | None:
    """Of an iterator, with the items it has given already."""
    try:
        return len(source) if hasattr(source, "__len__") else made + _left(source)
    except Exception:  # noqa: BLE001  # a data set of the user's own may raise whatever it likes
        return None


def _left(source: Any) -> int:
    if (found := operator.length_hint(source, -1)) < 0:
        raise TypeError("it does not say how much is left")
    return found
