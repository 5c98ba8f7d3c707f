"""A loss of whole sequences (CTC): predictions by their time first, labels of each example as many as it has.

Predictions do not meet such answers row by row. The labels of an example stay together when they are given to others.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside.tape.recorder import Row
from firstlight.observe.inside.tape.tail import Tail

OF_SEQUENCES = "ctc_loss"
_PLACES = {"targets": 1, "input_lengths": 2, "target_lengths": 3, "blank": 4}
"""Of its arguments; the blank is the class that stands for no label."""
TABLE = 2


class Sequences(NamedTuple):
    row: Row
    labels: torch.Tensor
    """A row of a table for each example, or all of them one after another."""
    lengths: torch.Tensor
    """How many labels each example has."""
    room: torch.Tensor
    """Over how many times each example's predictions go."""

    @property
    def own(self) -> dict[int, torch.Tensor]:
        return {id(self.labels): self.labels, id(self.lengths): self.lengths}

    def exchanged(self, generator: torch.Generator) -> dict[int, torch.Tensor]:
        """Labels of other examples for each, and how many they are. Who has no room for them keeps its own."""
        others = torch.randperm(len(self.lengths), generator=generator)
        rows = _of_each(self.labels, self.lengths)
        fits = torch.tensor([_needed(rows[other]) for other in others]) <= self.room.cpu()
        given = torch.where(fits, others, torch.arange(len(others))).tolist()
        labels = self.labels[given] if self.labels.ndim == TABLE else torch.cat([rows[one] for one in given])
        return {id(self.labels): labels, id(self.lengths): self.lengths[given]}


def sequences_of(tail: Tail) -> Iterator[Sequences]:
    for row in tail.rows:
        if row.name == OF_SEQUENCES:
            given = sequence_arguments(row)
            labels, lengths = given.get("targets"), given.get("target_lengths")
            if isinstance(labels, torch.Tensor) and isinstance(lengths, torch.Tensor) and lengths.ndim == 1:
                yield Sequences(row, labels, lengths, torch.as_tensor(given["input_lengths"]))


def sequence_arguments(row: Row) -> dict[str, Any]:
    """By their names."""
    given = row.arguments or ()
    return {**{name: given[place] for name, place in _PLACES.items() if place < len(given)}, **row.keywords}


def real_labels(labels: torch.Tensor, lengths: Any) -> torch.Tensor:
    """Without the padding behind the labels of a row."""
    if labels.ndim != TABLE or lengths is None:
        return labels
    place = torch.arange(labels.shape[1], device=labels.device)
    return labels[place < torch.as_tensor(lengths, device=labels.device)[:, None]]


def _of_each(labels: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return torch.split(real_labels(labels, lengths), lengths.tolist())


def _needed(labels: torch.Tensor) -> int:
    """Times: one for each label, and one between two that are the same."""
    return len(labels) + int((labels[1:] == labels[:-1]).sum())
