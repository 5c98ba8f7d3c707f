"""Has timelines made, and brings their losses back.

One interface, so that where the copies run is a detail: forked from the script at its first batch (the usual way),
each from the beginning in a process of its own (where a fork cannot work), or as Ray tasks.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import msgspec

from firstlight.experiments.plan import Order
from firstlight.observe.watch import Watched
from firstlight.records import observed
from firstlight.records.facts import Timeline

NURSERY = "nursery"
ORDERS = "orders.ndjson"


@dataclass
class ForkEngine:
    """Orders travel by a file in the run directory; results come back in the event log."""

    run: Path
    seconds: float
    """In all, after the first training step, for everything ordered."""
    EXTENSIONS: ClassVar[tuple[str, ...]] = ("firstlight.experiments.inside.nursery:install",)
    ordered: list[Order] = field(default_factory=list)
    _opened: float | None = None

    def order(self, *orders: Order) -> None:
        self._append(*(msgspec.json.encode(order) for order in orders))
        self.ordered += orders

    def close(self) -> None:
        self._append(b'{"close": true}')

    def _append(self, *lines: bytes) -> None:
        with (self.run / ORDERS).open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))

    def settled(self, watched: Watched) -> bool:
        """All ordered timelines are over, or there is no nursery to make them, or the time is spent."""
        notes = watched.timelines.get(NURSERY, [])
        if not notes:
            return True
        if self._opened is None:
            self._opened = time.monotonic()
        made = self.ended(watched) >= {order.name for order in self.ordered}
        return made or time.monotonic() - self._opened > self.seconds

    def ended(self, watched: Watched) -> set[str]:
        """The timelines that are over, however they ended."""
        notes = watched.timelines.get(NURSERY, [])
        return {note.name for note in notes if isinstance(note, observed.TimelineEnded)}


def timelines_of(watched: Watched, orders: list[Order]) -> list[Timeline]:
    """What each timeline did, with the program itself first."""
    fates = {note.name: note for note in watched.timelines.get(NURSERY, []) if isinstance(note, observed.TimelineEnded)}
    found = [Timeline(name="baseline", interventions=(), losses=losses_of(watched.records), seconds=watched.seconds)]
    for order in orders:
        fate = fates.get(order.name)
        if fate is not None:
            found.append(
                Timeline(
                    name=order.name,
                    interventions=order.interventions,
                    losses=losses_of(watched.timelines.get(order.name, [])),
                    seconds=fate.seconds,
                    tail=order.eval_tail,
                    died=fate.exit_code != 0,
                )
            )
    return found


def losses_of(records: list[observed.Observed]) -> tuple[float, ...]:
    """The loss of each step: the values of the backward line that has most of them."""
    by_site: dict[object, list[float]] = {}
    for record in records:
        if isinstance(record, observed.BackwardSeen):
            by_site.setdefault(record.site, []).append(record.value)
    longest: list[float] = max(by_site.values(), key=len) if by_site else []
    return tuple(longest)
