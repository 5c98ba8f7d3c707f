"""No timelines: where none are asked for, and where a log already holds them."""

from dataclasses import dataclass, field

from firstlight.experiments.plan import Order
from firstlight.observe.watch import Watched


@dataclass
class NoEngine:
    ordered: list[Order] = field(default_factory=list)
    extensions: tuple[str, ...] = ()

    def attend(self, _watched: Watched) -> bool:
        return False

    def order(self, *_orders: Order) -> None:
        raise AssertionError("nothing is ordered of an engine that never attends")

    def close(self) -> None: ...

    def settled(self, _watched: Watched) -> bool:
        return True

    def end(self) -> None: ...
