"""The calls between the last layer of a network and the place where its output is compared with an answer.

In training they are read from the tape. In evaluation, where nothing carries a gradient, they are followed call by call
from the layer on. A layer is known by its first trained tensor, so that both are ways from the same place.

A way ends where something is decided: a class, an action, a mask. What is looked up or done by a decision (the move of
an action, the rows that were kept) holds no values of the output, and what the network was taught by its own decisions
was no answer.
"""

import weakref
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.tape.compares import COMPARES, SELECTS
from firstlight.observe.inside.tape.reach import MOVES
from firstlight.observe.inside.tape.recorder import Made, Mark, Row
from firstlight.observe.inside.tape.tail import Tail

KEPT = MOVES | SELECTS
"""What these give are the same values."""
MOST_FOLLOWED = 512


class Way(NamedTuple):
    layer: int
    operations: tuple[str, ...]


def training_ways(tail: Tail) -> Iterator[tuple[Way, Row]]:
    """With the rows that compare."""
    if tail.own_answers:
        return
    for row in {meeting.row.number: meeting.row for meeting in tail.meetings}.values():
        for tensor, marks, made in row.inputs if row.name in COMPARES else ():
            if tensor.requires_grad and marks & Mark.TRAINED and (way := _way_back(made)) is not None:
                yield way, row


def _way_back(made: Made | None) -> Way | None:
    operations: list[str] = []
    while made is not None and not made[0].door:
        if made[0].name not in KEPT:
            operations.append(made[0].name)
        made = next((item[2] for item in made[0].inputs if item[0].requires_grad), None)
    entered = [item[0] for item in made[0].inputs if item[1] == Mark.TRAINED] if made is not None else []
    return Way(id(entered[0]), tuple(reversed(operations))) if entered else None


class WayFollower:
    """Follows outputs of layers while nothing carries a gradient."""

    def __init__(self) -> None:
        self._ways: dict[int, tuple[weakref.ref[torch.Tensor], Way]] = {}

    def note(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], result: Any) -> Way | None:
        """The way that ends in this call, if it compares with something that is no output of the network."""
        given = [*reading.tensors_in(arguments), *reading.tensors_in(keywords)]
        layer = next(
            (t for t in given if isinstance(t, torch.nn.Parameter) and t.requires_grad and t.numel() > 1), None
        )
        if layer is not None:
            self._bind(result, Way(id(layer), ()))
            return None
        followed = [(tensor, way) for tensor in given if (way := self._way(tensor)) is not None]
        if not followed:
            return None
        output, way = followed[0]
        if name in COMPARES and any(self._way(t) is None and _answers(t, output) for t in given):
            return way
        self._bind(result, way if name in KEPT else Way(way.layer, (*way.operations, name)))
        return None

    def clear(self) -> None:
        self._ways.clear()

    def _way(self, tensor: torch.Tensor) -> Way | None:
        entry = self._ways.get(id(tensor))
        return entry[1] if entry is not None and entry[0]() is tensor else None

    def _bind(self, result: Any, way: Way) -> None:
        if len(self._ways) >= MOST_FOLLOWED:
            self._ways = {key: entry for key, entry in self._ways.items() if entry[0]() is not None}
        for tensor in reading.tensors_in(result):
            if not (tensor.is_floating_point() or tensor.is_complex()):
                continue
            self._ways[id(tensor)] = (weakref.ref(tensor), way)


def _answers(tensor: torch.Tensor, output: torch.Tensor) -> bool:
    """One for each example; numbers by which outputs are scaled back are fewer."""
    return tensor.ndim > 0 and output.ndim > 0 and tensor.shape[0] == output.shape[0] > 1
