"""What is evaluated, beside what is trained on, and the tables both are from."""

import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch

from firstlight.observe.inside.relations.encoding import encoded
from firstlight.observe.inside.relations.grouping import Asked, grouped
from firstlight.observe.inside.relations.in_order import BatchPlaces, undivided
from firstlight.observe.inside.relations.sample import Sample
from firstlight.observe.inside.relations.spanning import spans
from firstlight.observe.inside.relations.standing import (
    Standing,
    StandingTable,
    evaluated_in,
    joined,
    read,
    with_answers,
)
from firstlight.records.relations import Encoded, Groups, Spans

MOST_LOADERS = 4
Loader = weakref.ref[Any]


class EvaluatedBeside:
    def __init__(self) -> None:
        self.evaluated, self.standing = Asked(), Standing()
        self._loaders: list[Loader] = []
        """That gave batches which were evaluated."""

    def trains(self, given: torch.Tensor) -> None:
        self.standing.look(given, training=True)

    def evaluates(self, given: torch.Tensor, loader: Loader | None) -> None:
        self.evaluated.add(given)
        self.standing.look(given, training=False)
        if loader is not None and len(self._loaders) < MOST_LOADERS and loader not in self._loaders:
            self._loaders.append(loader)

    def groups(self, sample: Sample) -> Groups:
        return grouped(sample, self.evaluated)

    def spans(self, sample: Sample, loaded: tuple[Loader, BatchPlaces] | None) -> Spans:
        table = self._table(sample, loaded, undivided)
        return Spans() if table is None else spans(table.rows, table.answers)

    def encoded(self, sample: Sample, loaded: tuple[Loader, BatchPlaces] | None) -> Encoded:
        return encoded(self._whole(sample, loaded))

    def _table(
        self, sample: Sample, loaded: tuple[Loader, BatchPlaces] | None, part: Callable[[Any], Any]
    ) -> StandingTable | None:
        """The examples in their own order, with their answers."""
        loader = loaded[0]() if loaded is not None else None
        if loaded is not None and loader is not None:
            return read(part(loader.dataset), loader, loaded[1])
        inputs, answer = sample.inputs(), sample.answer()
        alone = len(inputs) == 1 and answer.shape[1] == 1
        return with_answers(self.standing, inputs[0], answer) if alone else None

    def _whole(self, sample: Sample, loaded: tuple[Loader, BatchPlaces] | None) -> Iterator[tuple[StandingTable, int]]:
        """Training examples together with evaluated ones, and how many these are."""
        table = self._table(sample, loaded, lambda dataset: dataset)
        if table is None:
            return
        if loaded is None:
            yield from evaluated_in(self.standing, table, self.evaluated.keys())
            return
        for loader in filter(None, (ref() for ref in self._loaders if ref != loaded[0])):
            other = read(loader.dataset, loader, loaded[1])
            if other is not None and other.rows.shape[1] == table.rows.shape[1]:
                yield joined(table, other), len(other.rows)
