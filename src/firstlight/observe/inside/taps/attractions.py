"""Asks losses that compare the examples of a batch which of them they pull together, at a few of the first steps."""

from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.relations.in_order import tensors_of
from firstlight.observe.inside.relations.kindred import labels_compared
from firstlight.observe.inside.relations.matching import MadeAnew, PairsMatched
from firstlight.observe.inside.tape.attraction import embedded, fed, pulled, suits
from firstlight.observe.inside.tape.recorder import Recorder
from firstlight.observe.inside.tape.tail import tail_of
from firstlight.records.places import Site

MOST_LOOKS = 6
MOST_VAIN = 2
"""Looks at a loss that says nothing of two examples at once."""
MOST_TRIED = 24
"""Backwards."""


class Attractions:
    def __init__(self, observer: Observer, recorder: Recorder) -> None:
        self.observer, self.recorder = observer, recorder
        self.matched = PairsMatched()
        self._tried = self._vain = 0
        self._site: Site | None = None
        self._anew = MadeAnew()

    def batch_given(self, _loader: Any, batch: Any) -> None:
        if self.observer.timeline is None:
            self._anew.given(tensors_of(batch), self.observer.batch_rows)

    def wanted(self) -> bool:
        """A copy is not asked."""
        asked = (
            self._tried < MOST_TRIED
            and self._vain < MOST_VAIN
            and max(self.matched.looks, len(self.matched.kindred.looks)) < MOST_LOOKS
        )
        return asked and self.observer.timeline is None and not self.observer.light

    def backward_begins(self, root: torch.Tensor, _retain: bool, functional: bool) -> None:
        if not self.wanted() or functional or root.numel() != 1 or reading.transformed():
            return
        self._tried += 1
        tail = tail_of(self.recorder, root)
        outputs = embedded(tail) if tail is not None else []
        if tail is None or not suits(outputs):
            return
        inputs, kinds = fed(self.recorder, outputs), labels_compared(tail)
        if inputs is None and not kinds:
            return
        found = pulled(tail, outputs)
        if found is None:
            self._vain += 1
            return
        site = tail.rows[-1].line or sites.caller()
        self._site = self._site or site
        if site != self._site:
            return
        self.matched.kindred.add(found, kinds, len(outputs))
        if inputs is not None:
            self.matched.add(found, inputs, len(outputs))

    def tell(self) -> None:
        if self.matched.looks or self.matched.kindred.looks:
            self.observer.emit(self.matched.record(self.observer.step, self._site, self._anew.seen))


def install(observer: Observer, recorder: Recorder) -> Attractions:
    attractions = Attractions(observer, recorder)
    moments = observer.moments
    moments.backward_begins.insert(0, observer.shielded("relations", attractions.backward_begins))
    moments.batch_given.append(observer.shielded("relations", attractions.batch_given))
    moments.ending.append(observer.shielded("relations", attractions.tell))
    return attractions
