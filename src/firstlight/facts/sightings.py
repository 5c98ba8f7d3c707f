"""Everything observed, by kind, and the small questions every reducer asks of it."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, TypeVar

from firstlight.records.declared import Logged
from firstlight.records.sighting import Sighting

T = TypeVar("T")
R = TypeVar("R", bound=Sighting)


class Sightings:
    """Everything observed, by kind, in the order it came."""

    def __init__(self, records: Iterable[Logged]) -> None:
        self._by_kind: dict[type, list[Any]] = defaultdict(list)
        for record in records:
            self._by_kind[type(record)].append(record)

    def of(self, kind: type[R]) -> list[R]:
        return self._by_kind[kind]

    def all_of(self, family: type[T]) -> Iterator[T]:
        """Of every kind derived from `family`."""
        for kind, items in self._by_kind.items():
            if issubclass(kind, family):
                yield from items


def groups(items: Iterable[T], key: Callable[[T], Hashable]) -> list[list[T]]:
    found: dict[Hashable, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return list(found.values())


def longest_run(flags: Iterable[bool]) -> int:
    longest = current = 0
    for flag in flags:
        current = current + 1 if flag else 0
        longest = max(longest, current)
    return longest
