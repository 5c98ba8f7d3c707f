"""Has timelines made, and brings their losses back.

One interface, so that where the copies run is a detail: forked from the script at its first batch (the usual way),
each from the beginning in a process of its own (where a fork cannot work), or as Ray tasks.
"""

import math
from collections.abc import Sequence
from typing import Protocol

import msgspec

from firstlight.experiments.plan import Order, is_of_optimizers, keeps_first_loss
from firstlight.observe.watch import Watched
from firstlight.records.contrast import Timeline
from firstlight.records.declared import Logged
from firstlight.records.program import Ending
from firstlight.records.timelines import NurseryOpened, TimelineEnded
from firstlight.records.training import BackwardSeen, StepSeen

NURSERY = "nursery"
"""The timeline under which the log says how experiments are made and what became of each."""
SAME_START = 1e-3
"""Share by which first losses of paired runs may differ: reordered sums and half precision stay below it."""


class Engine(Protocol):
    """Makes the timelines that are ordered; what they see comes back in the event log, by their names."""

    @property
    def ordered(self) -> list[Order]: ...

    @property
    def extensions(self) -> tuple[str, ...]:
        """What the program itself must be observed with, as `module:function`."""

    def attend(self, watched: Watched) -> bool:
        """Asked again and again: can timelines of this program be made? Work that was ordered is carried on."""

    def order(self, *orders: Order) -> None: ...

    def close(self) -> None:
        """Nothing more will be ordered."""

    def settled(self, watched: Watched) -> bool:
        """All that was ordered is over, or the time for it is spent."""

    def end(self) -> None:
        """Nothing of it is left behind, whatever is still under way. May be called at any time, and twice."""


def opened(watched: Watched) -> NurseryOpened | None:
    """How experiments are made of this program; None as long as none are."""
    notes = watched.timelines.get(NURSERY, [])
    return next((note for note in notes if isinstance(note, NurseryOpened)), None)


def fates(watched: Watched) -> dict[str, TimelineEnded]:
    notes = watched.timelines.get(NURSERY, [])
    return {note.name: note for note in notes if isinstance(note, TimelineEnded)}


def changes_nothing(watched: Watched, interventions: tuple[str, ...]) -> bool:
    """The program applies its gradients itself: a copy at another rate is the program again, and no evidence."""
    by_hand = any(end.backwards and not end.optimizers for end in watched.of(Ending)) and not watched.of(StepSeen)
    return by_hand and is_of_optimizers(interventions)


def timelines_of(watched: Watched, orders: list[Order]) -> list[Timeline]:
    """What each timeline did, with the program itself first."""
    ended = fates(watched)
    baseline = Timeline(name="baseline", interventions=(), losses=losses_of(watched.records), seconds=watched.seconds)
    found = [
        Timeline(
            name=order.name,
            interventions=order.interventions,
            losses=losses_of(watched.timelines.get(order.name, [])),
            seconds=ended[order.name].seconds,
            tail=_tail(order, watched.timelines.get(order.name, ())),
        )
        for order in orders
        if order.name in ended and not changes_nothing(watched, order.interventions)
    ]
    nursery = opened(watched)
    if nursery is None or nursery.engine == "fork" or _began_alike(baseline, found):
        return [baseline, *found]
    return [baseline, *(msgspec.structs.replace(line, paired=False) for line in found)]


def _tail(order: Order, records: Sequence[Logged]) -> int:
    """The losses that were measured in eval mode; none where the copy ended before it came to that."""
    last = max((one.step for one in records if isinstance(one, BackwardSeen)), default=0)
    return order.eval_tail if last >= order.steps - 1 else 0


def _began_alike(baseline: Timeline, others: Sequence[Timeline]) -> bool:
    """Judged by those whose first step nothing was changed in. Where there is none, nothing is known."""
    starts = [line.losses[0] for line in others if line.losses and keeps_first_loss(line.interventions)]
    return bool(starts and baseline.losses) and all(_alike(start, baseline.losses[0]) for start in starts)


def _alike(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=SAME_START) or (math.isnan(one) and math.isnan(other))


def losses_of(records: Sequence[Logged]) -> tuple[float, ...]:
    """The loss of each backward on the first rank, at the line that has most of them."""
    return tuple(record.value for record in _longest_line(records))


def backwards_for_a_step(records: Sequence[Logged]) -> float:
    """Of that line: more than one where gradients are accumulated, and a step of the optimizer takes them together."""
    line = _longest_line(records)
    return len(line) / len({record.step for record in line}) if line else 1.0


def _longest_line(records: Sequence[Logged]) -> list[BackwardSeen]:
    by_site: dict[object, list[BackwardSeen]] = {}
    for record in records:
        if isinstance(record, BackwardSeen) and record.rank == 0:
            by_site.setdefault(record.site, []).append(record)
    return max(by_site.values(), key=len) if by_site else []
