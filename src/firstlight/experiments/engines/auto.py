"""Forks where the program can be forked, and else runs it afresh."""

from firstlight.experiments.engine import Engine
from firstlight.experiments.engines.fork import ForkEngine
from firstlight.experiments.engines.fresh import FreshEngine
from firstlight.experiments.plan import Order
from firstlight.observe.watch import Watched
from firstlight.records.program import Unseen

TIMELINES = "timelines"
"""The tap that is unseen where a copy of the program would not work."""


class AutoEngine:
    """The program says, when its training begins, whether it was forked or why it could not be."""

    def __init__(self, fork: ForkEngine, fresh: FreshEngine) -> None:
        self._fork, self._fresh = fork, fresh
        self._chosen: Engine = fork
        self.extensions = fork.extensions

    @property
    def ordered(self) -> list[Order]:
        return self._chosen.ordered

    def attend(self, watched: Watched) -> bool:
        if self._chosen is self._fork and not self._fork.attend(watched):
            refused = [unseen.reason for unseen in watched.of(Unseen) if unseen.tap == TIMELINES]
            if not refused:
                return False
            self._fresh.reason = refused[0]
            self._chosen = self._fresh
        return self._chosen.attend(watched)

    def order(self, *orders: Order) -> None:
        self._chosen.order(*orders)

    def close(self) -> None:
        self._chosen.close()

    def settled(self, watched: Watched) -> bool:
        return self._chosen.settled(watched)

    def end(self) -> None:
        self._fork.end()
        self._fresh.end()
