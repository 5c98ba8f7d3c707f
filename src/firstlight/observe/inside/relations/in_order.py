"""The examples of a dataset in its own order: do they fit the answers of other rows better than their own?

Training shuffles, so a shift between the rows of inputs and answers cannot be seen in its batches.
"""

import itertools
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.relations.neighbours import MOST_EXAMPLES, neighbours
from firstlight.observe.inside.relations.sample import AnswerMet, Sample, distinct, features_of, parts_of
from firstlight.observe.inside.relations.telling import tells
from firstlight.records.relations import Neighbours

OFFSETS = tuple(by for by in range(-16, 17) if by)
RELATED = 0.3
"""Correlation of a column with itself some rows on, from which on the rows are moments of a series."""
SHARED = 0.1
"""Of a row's values that stand in the row before too, beyond chance: rows are windows of a series."""
MOST_PAIRS = 256
"""Rows that are compared with the one before, value by value."""
MOVING = 0.2
"""Share of the rows in which a column has another value than usual; rarer ones repeat by chance."""
TOLD = 0.9
"""Power of a single feature over an answer."""


class BatchPlaces(NamedTuple):
    """Which tensors of a batch are the input and the answer."""

    given: int
    answer: int


def tensors_of(batch: Any) -> list[torch.Tensor]:
    whole = [tensor for tensor in reading.tensors_in(batch) if reading.readable(tensor) and not tensor.is_sparse]
    return [tensor for tensor in whole if tensor.ndim and tensor.numel() and not tensor.is_complex()]


def places_of(given: torch.Tensor, answer: torch.Tensor, batch: list[torch.Tensor]) -> BatchPlaces | None:
    """By the shape of what the model is given, and the values of the answer."""
    inputs = [place for place, tensor in enumerate(batch) if tensor.shape == given.shape]
    answers = [place for place, tensor in enumerate(batch) if same_values(tensor, answer)]
    return BatchPlaces(inputs[0], answers[0]) if inputs and answers and inputs[0] != answers[0] else None


def same_values(tensor: torch.Tensor, answer: torch.Tensor) -> bool:
    if tensor.numel() != answer.numel() or tensor.device != answer.device or not reading.readable(answer):
        return False
    return bool((tensor.reshape(-1) == answer.detach().reshape(-1)).all())


def in_order(loader: Any, places: BatchPlaces) -> Neighbours:
    dataset = undivided(loader.dataset)
    if isinstance(dataset, torch.utils.data.IterableDataset):
        return Neighbours()
    sample = Sample()
    plain = torch.utils.data.DataLoader(dataset, loader.batch_size or 1, collate_fn=loader.collate_fn)
    for step, batch in enumerate(plain):
        tensors = tensors_of(batch)
        sample.add([tensors[places.given]], tensors[places.answer], step)
        if sample.full or sample.kept >= MOST_EXAMPLES:
            break
    return _compared(sample) if sample.kept else Neighbours()


def undivided(dataset: Any) -> Any:
    """What a part that was drawn at random was drawn from: the part itself has no order."""
    while isinstance(dataset, torch.utils.data.Subset):
        dataset = dataset.dataset
    return dataset


def _compared(sample: Sample) -> Neighbours:
    inputs, answer = sample.inputs(), sample.answer()
    chosen = distinct(inputs)
    parts = parts_of(answer[chosen])
    if not parts or is_series(inputs[0]):
        return Neighbours()
    table = torch.cat([features_of(given[chosen]) for given in inputs], 1)
    found = neighbours(table, parts, torch.stack([torch.zeros_like(chosen), chosen], 1), OFFSETS)
    return Neighbours() if _is_told(table, parts, found.offset) else found


def is_series(table: torch.Tensor) -> bool:
    """Rows follow from those before them, or share their values: then their answers are related by nature."""
    moving = table[:, (table != table.mode(0).values).float().mean(0) >= MOVING]
    unit = (moving - moving.mean(0)) / moving.std(0)
    lags = [float((unit[by:] * unit[:-by]).mean(0).abs().amax()) for by in OFFSETS if by > 0 and moving.shape[1]]
    dealt = moving[torch.randperm(len(moving), generator=torch.Generator().manual_seed(0), device="cpu")]
    return max(lags, default=0.0) >= RELATED or _shared(moving) - _shared(dealt) >= SHARED


def _shared(table: torch.Tensor) -> float:
    """Of a row's values, those that stand in the row before too."""
    found = [torch.isin(now, before).float().mean() for before, now in itertools.pairwise(table[:MOST_PAIRS])]
    return float(torch.stack(found).mean()) if found and table.shape[1] else 0.0


def _is_told(table: torch.Tensor, parts: list[AnswerMet], by: int) -> bool:
    """A single feature is the answer of that row: the last value of a series, whose next one is asked for."""
    ends = (0, len(table) - by) if by > 0 else (-by, len(table))
    for part in parts:
        moved = part.values[ends[0] + by : ends[1] + by]
        told = tells(table[ends[0] : ends[1]], AnswerMet(moved, part.classes))
        if max(told.power, told.others) >= TOLD:
            return True
    return False
