"""What is evaluated, beside what is trained on, and the tables both are from."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from firstlight.observe.inside.relations.encoding import encoded
from firstlight.observe.inside.relations.grouping import Asked, grouped
from firstlight.observe.inside.relations.in_order import BatchPlaces, undivided
from firstlight.observe.inside.relations.naming import named
from firstlight.observe.inside.relations.sample import Sample
from firstlight.observe.inside.relations.spanning import spans
from firstlight.observe.inside.relations.standing import (
    LoadedFrom,
    Standing,
    StandingTable,
    evaluated_in,
    joined,
    read,
    with_answers,
)
from firstlight.records.held_out import Encoded, Groups, Spans

MOST_SOURCES = 4


class EvaluatedBeside:
    def __init__(self) -> None:
        self.evaluated, self.standing = Asked(), Standing()
        self._sources: list[LoadedFrom] = []
        """Of batches that were evaluated."""

    def trains(self, given: torch.Tensor) -> None:
        self.standing.look(given, training=True)

    def evaluates(self, given: torch.Tensor, loader: Any) -> None:
        self.evaluated.add(given)
        self.standing.look(given, training=False)
        known = any(source.dataset is loader.dataset for source in self._sources) if loader is not None else True
        if not known and len(self._sources) < MOST_SOURCES:
            self._sources.append(LoadedFrom(loader.dataset, loader.collate_fn))

    def groups(self, sample: Sample) -> Groups:
        return grouped(sample, self.evaluated)

    def groups_named(self, sample: Sample) -> Groups:
        return named(sample, self.evaluated, self.standing)

    def spans(self, sample: Sample, loaded: tuple[LoadedFrom, BatchPlaces] | None) -> Spans:
        table = self._table(sample, loaded, undivided)
        return Spans() if table is None else spans(table.rows, table.answers)

    def encoded(self, sample: Sample, loaded: tuple[LoadedFrom, BatchPlaces] | None) -> Encoded:
        return encoded(self._whole(sample, loaded))

    def _table(
        self, sample: Sample, loaded: tuple[LoadedFrom, BatchPlaces] | None, part: Callable[[Any], Any]
    ) -> StandingTable | None:
        """The examples in their own order, with their answers."""
        if loaded is not None:
            return read(loaded[0]._replace(dataset=part(loaded[0].dataset)), loaded[1])
        inputs, answer = sample.inputs(), sample.answer()
        alone = len(inputs) == 1 and answer.shape[1] == 1
        return with_answers(self.standing, inputs[0], answer) if alone else None

    def _whole(
        self, sample: Sample, loaded: tuple[LoadedFrom, BatchPlaces] | None
    ) -> Iterator[tuple[StandingTable, int]]:
        """Training examples together with evaluated ones, and how many these are."""
        table = self._table(sample, loaded, lambda dataset: dataset)
        if table is None:
            return
        if loaded is None:
            yield from evaluated_in(self.standing, table, self.evaluated.keys())
            return
        for source in self._sources:
            other = read(source, loaded[1]) if source.dataset is not loaded[0].dataset else None
            if other is not None and other.rows.shape[1] == table.rows.shape[1]:
                yield joined(table, other), len(other.rows)
