"""Does reading an example change what is kept of it, so that the next reading begins from what the last one left?

What an augmentation writes into a view of the stored example is kept, and the next one is added to it. What is filled
once (a cache), or written over before it is given (a buffer), does not go further from what it was with every reading.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.relations.kept_rows import KeptPlace, copied, numbers_of, places_kept, random_state
from firstlight.observe.inside.relations.stored import line_of
from firstlight.records.places import Site
from firstlight.records.stored import KeptReread

EXAMPLES = 32
READINGS = 8
LAST = 3
"""Of the readings, over which the distance is averaged: what is turned over at random is off by chance."""
MOST_TRACED = 8
MOST_LOOKED = 1 << 18
"""Values that are looked at before each line."""


class KeptExamples:
    """What is kept of some examples, as it was when this was made."""

    def __init__(self, dataset: Any, rows: Sequence[int]) -> None:
        self.places: list[KeptPlace] = places_kept(dataset, rows)
        self._values = [copied(place.value) for place in self.places]
        self._numbers = [numbers_of(value) for value in self._values]

    def put_back(self) -> None:
        for place, value in zip(self.places, self._values, strict=True):
            place.put(value)

    def off(self) -> list[float]:
        """By how much each is off now, as a share of what its values usually differ by from their mean."""
        return [_apart(was, numbers_of(place.value)) for was, place in zip(self._numbers, self.places, strict=True)]

    def left(self) -> list[float]:
        """Of what the values of each differ by."""
        now = [_spread(numbers_of(place.value)) for place in self.places]
        return [
            after / before if before > 0 else 1.0
            for after, before in zip(now, map(_spread, self._numbers), strict=True)
        ]


def _spread(values: torch.Tensor) -> float:
    return float((values - values.mean()).abs().mean()) if len(values) else 0.0


def _apart(was: torch.Tensor, now: torch.Tensor) -> float:
    if was.shape != now.shape:
        return 1.0
    spread = _spread(was)
    apart = float((now - was).abs().mean()) if len(was) and not torch.equal(now, was) else 0.0
    return apart / spread if spread > 0 else float(apart > 0)


class Rereader:
    """Reads the same examples of a loader's dataset."""

    def __init__(self, loader: Any) -> None:
        self.loader, self.dataset = loader, loader.dataset
        count = len(self.dataset)
        self.rows: list[int] = torch.linspace(0, count - 1, min(EXAMPLES, count)).long().unique().tolist()

    def kept(self) -> KeptExamples:
        dataset, rows = self.dataset, self.rows
        while isinstance(dataset, torch.utils.data.Subset):
            rows, dataset = [int(dataset.indices[row]) for row in rows], dataset.dataset
        return KeptExamples(dataset, rows)

    def read(self) -> list[torch.Tensor]:
        batch = self.loader.collate_fn([self.dataset[row] for row in self.rows])
        return [tensor.detach().clone() for tensor in reading.tensors_in(batch) if reading.readable(tensor)]


def reread(loader: Any, first: KeptExamples) -> KeptReread | None:
    """In a copy of the process. `first` is what was kept when training began."""
    reader = Rereader(loader)
    first.put_back()
    reader.read()
    before, again = reader.kept(), random_state(reader.dataset)
    given = reader.read()
    told = KeptReread(name=_name(reader.dataset), site=_line(reader.dataset), examples=len(reader.rows))
    once = before.off()
    if not any(once):
        return told
    before.put_back()
    again()
    if not _same(reader.read(), given) or before.off() != once:
        return None
    chosen = [place for place, off in enumerate(once) if off > 0]
    often, readings = 0.0, 1
    for readings in range(2, READINGS + 1):
        reader.read()
        if readings > READINGS - LAST:
            often += _mean(before.off(), chosen) / LAST
    left = _mean(before.left(), chosen)
    again()
    other = _others(reader.read(), given)
    before.put_back()
    return KeptReread(
        name=told.name,
        site=told.site,
        writes=_writes(reader, [before.places[place] for place in chosen]),
        examples=told.examples,
        readings=readings,
        once=_mean(once, chosen),
        often=often,
        left=left,
        given=other,
    )


def _undivided(dataset: Any) -> Any:
    while isinstance(dataset, torch.utils.data.Subset):
        dataset = dataset.dataset
    return dataset


def _name(dataset: Any) -> str:
    return type(_undivided(dataset)).__name__


def _line(dataset: Any) -> Site | None:
    return line_of(_undivided(dataset))


def _mean(off: Sequence[float], chosen: Sequence[int]) -> float:
    return sum(off[place] for place in chosen) / len(chosen)


def _same(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return len(one) == len(other) and _others(one, other) == 0.0


def _others(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> float:
    """Share of the values that differ, in the tensor with most of them that do."""
    pairs = [pair for pair in zip(one, other, strict=False) if pair[0].numel()]
    found = [float((a != b).double().mean()) if a.shape == b.shape else 1.0 for a, b in pairs]
    return max(found, default=0.0)


def _writes(reader: Rereader, places: Sequence[KeptPlace]) -> Site | None:
    """The line of the user's after which one of these is another than before."""
    if sum(len(numbers_of(place.value)) for place in places) > MOST_LOOKED:
        return None
    for row in reader.rows[:MOST_TRACED]:
        watch = LinesThatWrite(places)
        try:
            sys.settrace(watch)
            reader.loader.collate_fn([reader.dataset[row]])
        finally:
            sys.settrace(None)
        watch.look()
        if watch.found is not None:
            return watch.found
    return None


class LinesThatWrite:
    """Called before each line of the user's."""

    def __init__(self, places: Sequence[KeptPlace]) -> None:
        self.places = places
        self.found: Site | None = None
        self._was = [numbers_of(place.value) for place in places]
        self._last: tuple[str, int] | None = None

    def __call__(self, frame: Any, event: str, _: Any) -> "Callable[..., Any] | None":
        if self.found is not None or not sites.is_users(frame.f_code.co_filename):
            return None
        if event == "line":
            self.look()
            self._last = frame.f_code.co_filename, frame.f_lineno
        return self

    def look(self) -> None:
        if self.found is None and self._last is not None:
            now = [numbers_of(place.value) for place in self.places]
            if not all(torch.equal(one, other) for one, other in zip(now, self._was, strict=True)):
                self.found = sites.site_of(*self._last)
