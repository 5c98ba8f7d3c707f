"""By what the actions of the program are weighed in its loss, beside the returns of the episodes they were made in.

The weight of an action is what the loss falls by if it becomes likelier: the gradient by its likelihood. It is looked
at until weights were seen, or often enough in vain.
"""

from typing import Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.actions import likelihoods
from firstlight.observe.inside.tape.compares import PRODUCTS
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.tape.tail import Tail, tail_of
from firstlight.observe.inside.taps.dealings import Dealings
from firstlight.records.dealings import WeightsSeen
from firstlight.records.places import Site

MOST_WEIGHED = 8
ENOUGH = 2
"""Looks at which some action had a weight."""
MOST_STEPS = 300
MOST_RETURNS = 32


class Weighing:
    def __init__(self, observer: Observer, recorder: Recorder, dealings: Dealings) -> None:
        self.observer, self.recorder, self.dealings = observer, recorder, dealings
        self._looks = self._weighed = 0
        self._largest: list[float] = []
        """Of the backward that is under way, for each likelihood."""
        self._hooks: list[Any] = []
        self._site: Site | None = None

    def wanted(self) -> bool:
        """The tape is on: the program acts, and is no copy."""
        observer = self.observer
        going_on = self._looks < MOST_WEIGHED and self._weighed < ENOUGH and observer.step < MOST_STEPS
        return bool(self.dealings.exchanges) and going_on and observer.timeline is None and not observer.light

    def backward_begins(self, root: torch.Tensor, _retain: bool, functional: bool) -> None:
        self._largest, self._hooks = [], []
        tail = tail_of(self.recorder, root) if self.wanted() and not functional and root.numel() == 1 else None
        if tail is None:
            return
        found = list(likelihoods(tail))
        self._site = _weighed_at(tail) or sites.caller()
        self._hooks = [tensor.register_hook(self._pulled) for tensor in found]

    def _pulled(self, slope: torch.Tensor) -> None:
        self._largest.append(float(slope.detach().abs().max()) * slope.numel() if slope.numel() else 0.0)

    def backward_ended(self, _root: torch.Tensor) -> None:
        for hook in self._hooks:
            hook.remove()
        returns, looked = self.dealings.returns, len(self._hooks)
        if not looked or len(self._largest) < looked or not returns:
            return
        self._looks += 1
        largest = max(self._largest) * (looked if max(self._largest) else 0)
        self._weighed += largest > 0
        self.observer.emit(WeightsSeen(site=self._site, largest=largest, returns=tuple(returns[:MOST_RETURNS])))
        returns.clear()


def _weighed_at(tail: Tail) -> Site | None:
    """Where something that carries a gradient is multiplied by something that does not."""
    for row in tail.rows:
        carries = {tensor.requires_grad for tensor, _, _ in row.inputs if tensor.numel() > 1}
        if row.name in PRODUCTS and len(carries) > 1:
            return row.line
    return None
