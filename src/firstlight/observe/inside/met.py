"""Examples that a model met, by a few of their keys: what one run, or one rank, can be compared with another by."""

from collections import deque
from collections.abc import Container

from firstlight.observe.inside.evaluated import MOST_EXAMPLES
from firstlight.records.feed import Pass


class FirstPass:
    """Examples trained on until one of an earlier batch comes back, by the smallest of their keys.

    The smallest keys are the same of equal sets, whatever order they come in, so that ranks can be compared by a few.
    """

    KEPT = 128

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self._over = False

    def add(self, keys: list[int]) -> None:
        self._over = self._over or not self.seen.isdisjoint(keys) or len(self.seen) >= MOST_EXAMPLES
        if not self._over:
            self.seen.update(keys)

    def record(self) -> Pass:
        return Pass(examples=len(self.seen), smallest=tuple(sorted(self.seen)[: self.KEPT]))


class Met:
    """Batches that were evaluated, by the smallest keys of each."""

    BATCHES = 32
    KEYS = 1024
    """Of all batches together, and below, of the examples trained on: so many fit a line of the event log."""
    TRAINED = 1024
    LAST = 8
    """Batches."""
    HARDLY = 0.05
    """Share of a batch."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.sizes: list[int] = []
        self.parts: list[int] = []
        """The evaluation that each belongs to."""
        self._new: deque[float] = deque(maxlen=self.LAST)

    def train(self, keys: list[int], known: Container[int]) -> None:
        self._new.append(sum(key not in known for key in keys) / max(1, len(keys)))

    @property
    def whole(self) -> bool:
        """Hardly anything new came in the last batches: what is trained on was seen, all of it."""
        return len(self._new) == self.LAST and max(self._new) <= self.HARDLY

    @property
    def again(self) -> float:
        return 1 - sum(self._new) / len(self._new) if self._new else 0.0

    def evaluate(self, keys: set[int], part: int) -> None:
        if len(self.batches) < self.BATCHES:
            self.batches.append(sorted(keys)[: self.KEYS])
            self.sizes.append(len(keys))
            self.parts.append(part)

    def smallest(self) -> tuple[tuple[int, ...], ...]:
        """As many of each batch as there is room for."""
        each = self.KEYS // max(1, len(self.batches))
        return tuple(tuple(batch[:each]) for batch in self.batches)
