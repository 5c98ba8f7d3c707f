"""Evaluated examples with the answers that they are scored by: a bounded sample of each evaluation.

A model is asked first, and its predictions meet the answers later: batch by batch, or all of an evaluation at once.
Until then the inputs wait. What is compared has a row for each of those asked for last, or for all that are waiting.
"""

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.relations.sample import MOST_EXAMPLES, Sample, taken
from firstlight.records.places import Site

MOST_PARTS = 4
MOST_CALLS = 512
"""Of models without gradients, as long as there is room for what they are asked."""
MOST_LINES = 8
"""Lines that lead to a call, by which one evaluation is told from another."""
LEAST_ROWS = 2
MOST_OF_AN_ANSWER = 64
"""Numbers that answer one example."""

Key = tuple[Any, ...]


@dataclass(eq=False)
class AskedFor:
    """One call: the examples of it that are kept, and where they are among all its rows."""

    rows: int
    chosen: torch.Tensor
    inputs: list[torch.Tensor]
    answer: torch.Tensor | None = None
    place: Hashable = None
    """Which output of the model it was compared with."""
    several: bool = False
    """Other outputs have answers of their own: whose question is whose is not known."""


@dataclass
class HeldPart:
    """The examples of one evaluation."""

    site: Site | None
    sample: Sample = field(default_factory=Sample)
    scores: dict[str, float] = field(default_factory=dict)
    """What metrics came to last, by their names."""


class HeldOut:
    def __init__(self) -> None:
        self.parts: dict[Key, HeldPart] = {}
        self._waiting: dict[Key, list[AskedFor]] = {}
        self._last: AskedFor | None = None
        self._calls = 0

    @property
    def open(self) -> bool:
        full = len(self.parts) == MOST_PARTS and all(part.sample.full for part in self.parts.values())
        return self._calls < MOST_CALLS and not full

    def asked(self, given: Sequence[torch.Tensor], answer: torch.Tensor | None, source: object) -> None:
        """A model was asked without gradients. `answer` came with the batch, which came from `source`."""
        count = max((len(tensor) for tensor in given if tensor.ndim), default=0)
        lines = tuple(line for line, _ in zip(sites.way(), range(MOST_LINES), strict=False))
        key = (lines, id(source))
        if count < LEAST_ROWS or (key not in self.parts and len(self.parts) >= MOST_PARTS):
            return
        part = self.parts.setdefault(key, HeldPart(sites.caller()))
        waiting = self._waiting.setdefault(key, [])
        room = 0 if part.sample.full else MOST_EXAMPLES - sum(len(one.chosen) for one in waiting)
        chosen = torch.linspace(0, count - 1, min(count, max(0, room))).round().long()
        inputs = [_rows(tensor, chosen) for tensor in taken(given, count)] if len(chosen) else []
        self._calls += 1
        self._last = AskedFor(count, chosen, inputs, answer)
        waiting.append(self._last)

    def met(self, answers: torch.Tensor, place: Hashable = None) -> HeldPart | None:
        """What the predictions of the last calls were compared with, at some `place` of the model's output; the
        evaluation, if it is of more than a batch."""
        if self._last is None or not _are_answers(answers):
            return None
        key, waiting = next((key, calls) for key, calls in self._waiting.items() if calls[-1] is self._last)
        sizes = list(itertools.accumulate(one.rows for one in reversed(waiting)))
        if len(answers) not in sizes:
            return None
        last = waiting[-1 - sizes.index(len(answers)) :]
        for one, own in zip(last, answers.split([one.rows for one in last]), strict=True):
            other = one.place is not None and place not in (None, one.place)
            one.several = one.several or (other and one.answer is not None and not torch.equal(one.answer, own))
            one.answer, one.place = own, place if one.place is None else one.place
        return self.parts[key] if len(last) > 1 or last == waiting else None

    def no_more_scores(self) -> None:
        """Later ones are not followed back to what they are of, and earlier ones are not the last."""
        for part in self.parts.values():
            part.scores.clear()

    def training_goes_on(self, step: int) -> None:
        """Those that met no answers are let go."""
        for key, waiting in self._waiting.items():
            for one in waiting:
                if one.answer is not None and not one.several and one.inputs and len(one.answer) == one.rows:
                    self.parts[key].sample.add(one.inputs, _rows(one.answer, one.chosen), step)
        self._waiting.clear()
        self._last = None


def _are_answers(tensor: torch.Tensor) -> bool:
    if not tensor.ndim or not len(tensor) or tensor.is_complex() or not reading.readable(tensor):
        return False
    return tensor.numel() <= MOST_OF_AN_ANSWER * len(tensor)


def _rows(tensor: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    return tensor.detach()[chosen.to(tensor.device)].cpu()
