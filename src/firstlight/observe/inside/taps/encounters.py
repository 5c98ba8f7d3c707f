"""Which states a program met, and in which episode: what its networks were asked about before it acted, and what its
environment showed it. By them it is known what the rows of a batch are that it learns from, however they were kept.
"""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.dealings import Dealings, Key, Told
from firstlight.observe.inside.taps.models import Call

MOST_STEPS = 200
"""Nothing is asked about what is met later."""
MOST_NUMBERS = 1 << 15
"""Of one state."""
MOST_STATES = 1 << 16
MOST_EPISODES = 32
"""What was met in so many may be met in any."""
MOST_CALLS = 1024
MOST_ASKED, MOST_BESIDE = 8, 4
KNOWN = 0.9
"""Share of the rows that were met, where they are states."""
Episode = tuple[Key, int]


class Encounters:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.met: dict[int, set[Episode]] = {}
        """By what is read off the state: equal for equal states."""
        self.episodes: Counter[Key] = Counter()
        """That have ended."""
        self.places = 0
        """Environments that were dealt with at once, the last time."""
        self.unseen: list[set[int]] = []
        """States that were shown now and never before, environment by environment."""
        self._asked: list[tuple[torch.Size, list[int]]] = []
        """What networks were asked about since then."""
        self._learning: list[tuple[list[torch.Tensor], list[torch.Tensor]]] = []
        """What networks were given and gave, with gradients, since the last backward."""
        self._factors: dict[int, torch.Tensor] = {}

    @property
    def wanted(self) -> bool:
        within = self.observer.step < MOST_STEPS and len(self.met) < MOST_STATES
        return within and self.observer.timeline is None and not self.observer.light

    def returned(self, call: Call) -> None:
        if not self.places or not self.wanted:
            return
        for tensor in call.inputs:
            if self.places == 1 or (tensor.ndim > 1 and len(tensor) == self.places):
                self._asked = [*self._asked[1 - MOST_ASKED :], (tensor.shape, self.read(tensor, self.places))]
        if call.training and len(self._learning) < MOST_CALLS:
            given = [tensor.detach() for tensor in reading.tensors_in(call.output) if tensor.numel() <= MOST_NUMBERS]
            self._learning.append((call.inputs, given))

    def exchanged(self, told: Told) -> None:
        self.places = len(told.keys)
        asked, self._asked = self._asked, []
        self.unseen = [set() for _ in told.keys]
        if not self.wanted:
            return
        before = [(key, self.episodes[key]) for key in told.keys]
        self.episodes.update(key for key, end in zip(told.keys, told.ends, strict=True) if end)
        after = [(key, self.episodes[key]) for key in told.keys]
        for shape, states in asked:
            if all(
                other == states for like, other in asked if like == shape
            ):  # else several acted, one after the other
                self._meet(states, before)
        for item in told.result[: told.at] + told.result[told.at + 1 :]:
            if getattr(item, "ndim", 0) > (self.places > 1) and str(item.dtype).removeprefix("torch.") != "object":
                states = self.read(torch.as_tensor(item), self.places)
                for place, state in enumerate(states[: self.places]):
                    self.unseen[place] |= {state} - self.met.keys()
                self._meet(states, before)  # the last state of an episode, or the first of the next
                self._meet(states, after)

    def _meet(self, states: list[int], episodes: list[Episode]) -> None:
        for state, episode in zip(states, episodes, strict=False):
            self.met.setdefault(state, set()).add(episode)

    def own(self, states: tuple[int, ...], episode: Episode) -> bool | None:
        """One of them was met in the episode; None where some were met nowhere."""
        found = [self.met.get(state, set()) for state in states]
        if any(episode in met or len(met) >= MOST_EPISODES for met in found):
            return True
        return False if found and all(found) else None

    def beside(self, predicted: torch.Tensor) -> list[tuple[int, ...]]:
        """For each prediction the states that it may be made for; none where that is not plain.

        Where a network's output holds each prediction in the row of its input, its inputs are what they are made for;
        but for a network that says the same of different states, which fits any order.
        """
        rows = predicted.numel()
        if not rows or not any(_holds(tensor, predicted) for _, given in self._learning for tensor in given):
            return []
        apart = len(set(predicted.detach().flatten().tolist()))
        found = [states for states in self._candidates(rows) if apart >= KNOWN * len(set(states))][:MOST_BESIDE]
        return list(zip(*found, strict=True)) if found else []

    def acted_on(self, rows: int) -> list[tuple[int, ...]]:
        """For each of so many actions the states that it may have been chosen in; none where no network met them.

        What lies between the output of a network and the likelihood of an action cannot be followed back: where several
        networks were given states in several orders, any of these may be the one.
        """
        found = [states for states in self._candidates(rows) if len(set(states)) > 1]
        return list(zip(*found, strict=True)) if 0 < len(found) <= MOST_BESIDE else []

    def _candidates(self, rows: int) -> Iterator[list[int]]:
        tensors = {id(tensor): tensor for inputs, _ in self._learning for tensor in inputs}
        for tensor in tensors.values():
            states = self.read(tensor, rows)
            if states and sum(state in self.met for state in states) >= KNOWN * rows:
                yield states

    def backward_ended(self, _root: torch.Tensor) -> None:
        self._learning = []

    def read(self, tensor: torch.Tensor, rows: int) -> list[int]:
        if not _has_rows(tensor, rows) or tensor.numel() > rows * MOST_NUMBERS or not reading.readable(tensor):
            return []
        flat = tensor.detach().reshape(rows, -1).to(torch.float32) + 0.0  # there is one zero
        numbers = flat.contiguous().view(torch.int32).to(torch.int64)
        found: Any = (numbers * self._weights(flat.shape[1]).to(flat.device)).sum(dim=1).tolist()
        return list(found)

    def _weights(self, width: int) -> torch.Tensor:
        """Odd, so that sums that overflow tell states apart, whatever the order they are summed in."""
        if width not in self._factors:
            generator = torch.Generator().manual_seed(width)
            drawn = torch.randint(-(1 << 62), 1 << 62, (width,), generator=generator)
            self._factors[width] = drawn * 2 + 1
        return self._factors[width]


def _has_rows(tensor: torch.Tensor, rows: int) -> bool:
    """Its first axes, or some of them, count as many; the whole tensor is one."""
    if tensor.is_complex() or tensor.is_sparse or not tensor.numel():
        return False
    return rows == 1 or any(math.prod(tensor.shape[:axes]) == rows for axes in range(1, tensor.ndim + 1))


def _holds(output: torch.Tensor, predicted: torch.Tensor) -> bool:
    rows = predicted.numel()
    if not output.is_floating_point() or not _has_rows(output, rows) or output.device != predicted.device:
        return False
    column = predicted.detach().reshape(rows, 1)
    return bool((output.reshape(rows, -1) == column).any(dim=1).all())


def install(observer: Observer, dealings: Dealings) -> Encounters:
    encounters = Encounters(observer)
    dealings.hear = observer.shielded("encounters", encounters.exchanged)
    observer.moments.model_returned.append(observer.shielded("encounters", encounters.returned))
    observer.moments.backward_ended.append(observer.shielded("encounters", encounters.backward_ended))
    return encounters
