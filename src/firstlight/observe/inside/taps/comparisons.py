"""What is compared with the answers, in training and in evaluation: which function of the last layer's output."""

from collections import Counter
from typing import Any

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.tail import Tail
from firstlight.observe.inside.tape.ways import Way, WayFollower, training_ways
from firstlight.observe.inside.taps.operations import Operations
from firstlight.records.places import Site
from firstlight.records.taped import ComparisonSeen

MOST_CALLS = 8
"""Of models without gradients, with what follows each of them."""
MOST_A_LINE = 8
"""Of each kind and line."""


class ComparisonTap:
    def __init__(self, observer: Observer, mode: Operations) -> None:
        self.observer, self.mode = observer, mode
        self.follower = WayFollower()
        self.note = observer.shielded("comparisons", self._note)
        self._calls = 0
        self._told: Counter[tuple[bool, Site | None]] = Counter()

    def model_called(self, gradients: bool) -> None:
        if gradients or self.observer.step == 0 or self.observer.light or self._calls >= MOST_CALLS:
            self.mode.unfollow()
            self.follower.clear()
            return
        self._calls += 1
        self.mode.follow_by(self.note)

    def _note(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any], result: Any) -> None:
        way = self.follower.note(name, arguments, keywords, result)
        if way is not None:
            self._tell(way, name, sites.caller(2), training=False)

    def trained(self, tail: Tail) -> None:
        for way, row in training_ways(tail):
            self._tell(way, row.name, row.line, training=True)

    def _tell(self, way: Way, into: str, site: Site | None, training: bool) -> None:
        self._told[training, site] += 1
        if self._told[training, site] <= MOST_A_LINE:
            self.observer.emit(
                ComparisonSeen(training=training, layer=way.layer, operations=way.operations, into=into, site=site)
            )
