"""How many rounds a loop will make, whatever kind of thing says so."""

from collections.abc import Iterator
from typing import Any

import pytest

from firstlight.experiments.inside.shortening.items import innermost, planned


class Loader:
    """As loaders are wrapped, by libraries and by hand."""

    def __init__(self, many: int) -> None:
        self.many = many

    def __len__(self) -> int:
        return self.many

    def __iter__(self) -> Iterator[int]:
        yield from range(self.many)


class Bar:
    """As a progress bar goes over it."""

    def __init__(self, iterable: Any) -> None:
        self.iterable = iterable

    def update(self) -> None:
        """It is told of a round."""

    def __iter__(self) -> Iterator[Any]:
        yield from self.iterable


def endless() -> Iterator[int]:
    while True:
        yield 1


@pytest.mark.parametrize(
    ("iterable", "rounds"),
    [
        (Loader(7), 7),
        (enumerate(Loader(7)), 7),
        (Bar(Loader(7)), 7),
        (enumerate(Bar(Loader(7))), 7),
        (zip(Loader(7), Loader(5), strict=False), 5),
        (zip(Loader(7), endless(), strict=False), None),
        (range(3), 3),
        (enumerate([1, 2]), 2),
        (endless(), None),
        (None, None),
    ],
)
def test_rounds_are_those_of_what_is_gone_over(iterable: Any, rounds: int | None) -> None:
    assert planned(iterable, 0) == rounds


def test_rounds_that_were_made_count() -> None:
    some = enumerate([1, 2, 3])
    next(some)
    others = enumerate(Loader(3))
    next(others)

    assert planned(some, 1) == 3
    assert planned(others, 1) == 3


def test_a_loader_of_an_unknown_kind_is_not_read_on() -> None:
    assert innermost(Loader(7)) is None
    assert innermost(range(7)) == range(7)
