"""Maps of what moves what, from untrusted lines."""

from collections.abc import Iterator
from typing import Any

import msgspec

from firstlight.records import wire
from firstlight.records.timelines import Dependence

MOST_PLACES = 64
"""What a page can show."""


def influences(seen: dict[str, Any]) -> Iterator[Dependence]:
    """One that has a square map, or nothing."""
    try:
        found = wire.convert(seen, Dependence)
    except msgspec.ValidationError:
        return
    size = len(found.map.places) if found.map is not None else 0
    if found.map is not None and 0 < size <= MOST_PLACES and [len(row) for row in found.map.moved] == [size] * size:
        yield found
