"""Timelines forked from the script at its first training batch: same weights, batch and random state, no start-up."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import msgspec

from firstlight.experiments.engine import fates, opened
from firstlight.experiments.plan import Order
from firstlight.observe.watch import Watched

ORDERS = "orders.ndjson"


@dataclass
class ForkEngine:
    """Orders travel by a file in the run directory; results come back in the event log."""

    run: Path
    seconds: float
    """In all, after the first training step, for everything ordered."""
    extensions: ClassVar[tuple[str, ...]] = (
        "firstlight.experiments.inside.nursery:install",
        "firstlight.experiments.inside.nudging:install",
    )
    ordered: list[Order] = field(default_factory=list)
    _opened: float | None = None

    def attend(self, watched: Watched) -> bool:
        if opened(watched) is None:
            return False
        if self._opened is None:
            self._opened = time.monotonic()
        return True

    def order(self, *orders: Order) -> None:
        self._append(*(msgspec.json.encode(order) for order in orders))
        self.ordered += orders

    def close(self) -> None:
        self._append(b'{"close": true}')

    def _append(self, *lines: bytes) -> None:
        with (self.run / ORDERS).open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))

    def settled(self, watched: Watched) -> bool:
        if not self.attend(watched):
            return True
        spent = time.monotonic() - (self._opened or 0.0)
        return fates(watched).keys() >= {order.name for order in self.ordered} or spent > self.seconds

    def end(self) -> None:
        """The copies are of the script's own process group, and end with it."""
