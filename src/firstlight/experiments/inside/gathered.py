"""What a model put out since training paused, call by call, and what its loader gave for the same rows."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from firstlight.experiments.inside.choices import MOST_ELEMENTS, equal
from firstlight.observe.inside import reading

if TYPE_CHECKING:
    from firstlight.observe.inside.taps.models import Call

LEAST_NUMBERS = 8
MOST_COLUMNS = 16
MOST_NUMBERS = 1 << 22
"""Kept of what may come together later: 16 MB."""


class RowsGiven(NamedTuple):
    """At one call, or at several ones together."""

    outputs: list[torch.Tensor]
    loaded: list[torch.Tensor]
    """What the loader gave for as many rows."""
    calls: range
    """Which ones of all."""


class Gathered:
    def __init__(self) -> None:
        self.model: torch.nn.Module | None = None
        self._calls: list[RowsGiven] = []
        self._size = 0
        self._count = 0
        self._batch: list[torch.Tensor] = []
        """What a loader gave last."""

    def batch_given(self, _loader: object, batch: object) -> None:
        self._batch = [tensor.detach() for tensor in reading.tensors_in(batch) if tensor.ndim and _counts(tensor)]

    def asked(self, call: "Call") -> None:
        if call.module is not self.model:
            self._calls, self._size = [], 0
        self.model = call.module
        outputs = floats(call.output)
        loaded = self._loaded_with(call.question, outputs)
        given = RowsGiven(outputs, loaded, range(self._count, self._count + 1))
        self._count += 1
        self._size += sum(tensor.numel() for tensor in (*outputs, *loaded))
        if self._size > MOST_NUMBERS:
            self._calls, self._size = [], 0
        self._calls.append(given)

    def rest(self) -> None:
        """Training goes on."""
        self.model, self._calls, self._size = None, [], 0

    def ends_with(self, given: RowsGiven) -> bool:
        return given.calls.stop == self._count

    def of(self, count: int) -> Iterator[RowsGiven]:
        """Of the last calls, one by one and then together, while they may be as many numbers as those."""
        yield from self._calls[:-MOST_COLUMNS:-1]
        size = 0
        for first in range(len(self._calls) - 1, -1, -1):
            output = next(iter(self._calls[first].outputs), None)
            if output is None or size > min(MOST_ELEMENTS, MOST_COLUMNS * count):
                return
            size += output.numel()
            width = output.shape[-1] if output.ndim > 1 else 1
            if count in (size, size // width) and first < len(self._calls) - 1:
                last = self._calls[first:]
                calls = range(last[0].calls.start, last[-1].calls.stop)
                yield RowsGiven(_joined([one.outputs for one in last]), _joined([one.loaded for one in last]), calls)

    def _loaded_with(self, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> list[torch.Tensor]:
        """What else the loader gave for the same rows. Inputs that are not as they came may have been sorted, and then
        their targets were sorted too."""
        if not inputs or not all(any(same(one, given) for one in self._batch) for given in inputs):
            return []
        others = [one for one in self._batch if not any(same(one, given) for given in inputs)]
        return [one for one in others if any(len(one) == len(made) for made in outputs if made.ndim)]


def floats(tree: Any) -> list[torch.Tensor]:
    found = [tensor for tensor in reading.tensors_in(tree) if tensor.is_floating_point() and reading.readable(tensor)]
    return [tensor.detach() for tensor in found if LEAST_NUMBERS <= tensor.numel() <= MOST_ELEMENTS]


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one is other or (one.dtype == other.dtype and equal(one, other))


def _counts(tensor: torch.Tensor) -> bool:
    within = LEAST_NUMBERS <= tensor.numel() <= MOST_ELEMENTS
    return within and reading.readable(tensor) and not tensor.is_complex()


def _joined(some: Sequence[Sequence[torch.Tensor]]) -> list[torch.Tensor]:
    """Of calls that gave alike, all else left out."""
    every = zip(*some, strict=False)
    return [torch.cat(parts) for parts in every if parts[0].ndim and len({part.shape[1:] for part in parts}) == 1]
