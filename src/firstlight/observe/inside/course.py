"""What the episodes of a run returned, from its beginning to its end."""

import statistics
from collections.abc import Sequence

from firstlight.records.dealings import MeanReturn

MOST_EPISODES = 100_000
AT_START = 0.02
"""Share of a run's steps before which hardly anything is learnt."""
FEWEST_AT_START = 5
LAST = 0.25
"""Share of the episodes that are taken for the end."""


class ReturnsCourse:
    def __init__(self) -> None:
        self._returns: list[tuple[int, float]] = []
        """With the step of the optimizer at which the episode began: those that end first are the shortest ones."""

    def add(self, step: int, total: float) -> None:
        if len(self._returns) < MOST_EPISODES:
            self._returns.append((step, total))

    @property
    def episodes(self) -> int:
        return len(self._returns)

    def start(self, steps: int) -> MeanReturn:
        early = [total for step, total in self._returns if step <= AT_START * steps]
        first = [one for _, one in sorted(self._returns, key=lambda begun: begun[0])[:FEWEST_AT_START]]
        return _mean(early if len(early) >= FEWEST_AT_START else first)

    def end(self) -> MeanReturn:
        return _mean([total for _, total in self._returns[-max(1, int(LAST * self.episodes)) :]])


def _mean(returns: Sequence[float]) -> MeanReturn:
    spread = statistics.stdev(returns) if len(returns) > 1 else 0.0
    return MeanReturn(episodes=len(returns), mean=statistics.fmean(returns), spread=spread)
