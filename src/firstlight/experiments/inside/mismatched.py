"""Gives every example the inputs of another one, for good: what can be learnt by heart stays, and nothing else.

Where rows are put out of order anew at each step, nothing can be learnt but how often each answer comes. Here an
example meets the same wrong inputs whenever it comes again, so that a copy learns by heart as well as the program can:
what the program does better, it has from what inputs and answers have to do with each other.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import torch

from firstlight.experiments.inside import steering
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.examples import codes

MOST_BYTES = 2**28
"""Of inputs that are remembered; examples that come later are put out of order anew each time."""


RowsFed = Callable[[Sequence[torch.Tensor]], Sequence[Hashable] | None]


class Swaps:
    """Which inputs an example was given instead of its own."""

    def __init__(
        self, rows_fed: Callable[[Sequence[torch.Tensor]], Sequence[Hashable] | None] = lambda _: None
    ) -> None:
        self.rows_fed = rows_fed
        self.generator = torch.Generator().manual_seed(2)
        self.kept: dict[Hashable, tuple[torch.Tensor, ...]] = {}
        self.room = MOST_BYTES

    def hook(self, _module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not torch.is_grad_enabled():
            return None
        swapped = self.swapped(_of_examples(args, kwargs))
        return steering.inputs_changed(args, kwargs, lambda tensor: swapped.get(id(tensor), tensor))

    def swapped(self, tensors: list[torch.Tensor]) -> Mapping[int, torch.Tensor]:
        """What takes the place of each tensor: one other example for all of them."""
        known = self.rows_fed(tensors) or codes(tensors)
        if len(known) < 2:
            return {}
        order = torch.randperm(len(known), generator=self.generator, device="cpu").tolist()
        rows = [self._inputs(code, tensors, other) for code, other in zip(known, order, strict=True)]
        return {id(tensor): torch.stack([row[at] for row in rows]) for at, tensor in enumerate(tensors)}

    def _inputs(self, code: Hashable, tensors: list[torch.Tensor], other: int) -> tuple[torch.Tensor, ...]:
        fresh = tuple(tensor[other].detach().clone() for tensor in tensors)
        kept = self.kept.get(code)
        if kept is not None and [row.shape for row in kept] == [row.shape for row in fresh]:
            return kept
        size = sum(row.numel() * row.element_size() for row in fresh)
        if kept is None and size <= self.room:
            self.kept[code] = fresh
            self.room -= size
        return fresh


def _of_examples(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[torch.Tensor]:
    """The inputs that have a row for each example, as many as the first of them."""
    found: dict[int, torch.Tensor] = {}

    def note(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.ndim and len(tensor) > 1:
            found.setdefault(id(tensor), tensor)
        return tensor

    steering.inputs_changed(args, kwargs, note)
    tensors = list(found.values())
    return [tensor for tensor in tensors if len(tensor) == len(tensors[0])]


def mismatch_inputs(observer: Observer, _value: str) -> None:
    observer.follows_rows = True
    steering.steer_calls(observer, Swaps(observer.rows_fed).hook)
