"""Would the examples of a dataset fit its answers better if one of the two were counted in another order?

Files are listed as text (1, 10, 100, 2), and the table beside them counts (1, 2, 3), or the other way round. Which
orders could have been meant follows from the number of examples alone.
"""

from collections.abc import Iterator
from typing import Any

import torch

from firstlight.observe.inside.relations.in_order import BatchPlaces, tensors_of, undivided
from firstlight.observe.inside.relations.neighbours import LEAST_EXAMPLES, fit
from firstlight.observe.inside.relations.sample import AnswerMet, Sample, features_of, parts_of
from firstlight.records.relations import Reordered

ASKED = 160
"""Examples. For every order the answers of as many other rows are read, which takes its time."""
INPUTS_AS_TEXT = "inputs are sorted as text (1, 10, 100, 2) and answers by number"
ANSWERS_AS_TEXT = "answers are sorted as text (1, 10, 100, 2) and inputs by number"
REVERSED = "one of them is reversed"


def reordered(loader: Any, places: BatchPlaces) -> Reordered:
    """The order in which the answers fit best, beside how they fit as they are."""
    dataset = undivided(loader.dataset)
    if isinstance(dataset, torch.utils.data.IterableDataset) or not hasattr(dataset, "__len__"):
        return Reordered()
    count = len(dataset)
    if count < LEAST_EXAMPLES:
        return Reordered()
    asked = torch.randperm(count, generator=torch.Generator().manual_seed(0), device="cpu")[:ASKED]
    orders = list(_orders(count))
    sample = _read(loader, dataset, places, torch.cat([asked, *(order[asked] for _, order in orders)]))
    return _best(sample, asked, orders) if sample.kept else Reordered()


def _orders(count: int) -> Iterator[tuple[str, torch.Tensor]]:
    """For each row of the inputs, the row of the answers that would be its own."""
    for first in (0, 1):
        as_text = torch.tensor(sorted(range(count), key=lambda row: str(row + first)))
        yield INPUTS_AS_TEXT, as_text
        yield ANSWERS_AS_TEXT, as_text.argsort()
    yield REVERSED, torch.arange(count).flip(0)


def _read(loader: Any, dataset: Any, places: BatchPlaces, rows: torch.Tensor) -> Sample:
    sample = Sample()
    for step, part in enumerate(torch.unique(rows).split(loader.batch_size or 1)):
        tensors = tensors_of(loader.collate_fn([dataset[row] for row in part.tolist()]))
        sample.add([tensors[places.given]], tensors[places.answer], step, part.tolist())
    return sample


def _best(sample: Sample, asked: torch.Tensor, orders: list[tuple[str, torch.Tensor]]) -> Reordered:
    table, parts = features_of(sample.inputs()[0]), parts_of(sample.answer())
    kept = {row: place for place, row in enumerate(sample.moments()[:, 2].tolist())}
    whole = [row for row in asked.tolist() if row in kept and all(int(order[row]) in kept for _, order in orders)]
    if len(whole) < LEAST_EXAMPLES or len(parts) != 1 or not bool(torch.isfinite(table).all()):
        return Reordered()
    given = table[torch.tensor([kept[row] for row in whole])]

    def fits(rows: list[int]) -> float:
        values = parts[0].values[torch.tensor([kept[row] for row in rows])]
        return fit(given, AnswerMet(values, parts[0].classes))

    found = [(name, fits([int(order[row]) for row in whole])) for name, order in orders]
    name, best = max(found, key=lambda pair: pair[1])
    return Reordered(examples=len(whole), deviations=fits(whole), order=name, order_deviations=best)
