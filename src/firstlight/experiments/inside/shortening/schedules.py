"""Schedules of the learning rate, as they will play out over the whole program: each is stepped on in a copy.

How often the program steps one follows from the rounds that the loops around the call would make by themselves. Loops
that may be left early (`break`, `return`) or do not say how many rounds they make leave that open.
"""

import copy
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from firstlight.experiments.dry_run import rates_over, tried
from firstlight.experiments.inside.shortening.rounds import Book, Loop
from firstlight.observe.inside import sites
from firstlight.records.declared import ScheduleTried
from firstlight.records.places import Site
from firstlight.records.rehearsal import ScheduleBreaks

MOST_FOLLOWED = 8
MOST_TICKS = 10_000
LEAST_TICKS = 2
SURE = 1.5
"""Times the steps at which a schedule raises that it must be stepped: less may be an error of the estimate."""


@dataclass
class _Followed:
    schedule: Any
    """A copy of it from before its first step in training, with an optimizer of its own."""
    site: Site | None
    loops: tuple[Loop, ...]
    """Around the call, the innermost first."""
    calls: int = 0

    def expected(self) -> int | None:
        """Each loop around it makes so many times more rounds in the whole program."""
        found = float(self.calls)
        for loop in self.loops:
            if loop.planned is None or loop.may_be_left or not loop.rounds:
                return None
            found *= max(1.0, loop.planned / loop.rounds)
        return round(found) if self.loops else None

    def played_out(self) -> ScheduleTried | ScheduleBreaks | None:
        expected = self.expected()
        if expected is None or expected < LEAST_TICKS:
            return None
        name = type(self.schedule).__name__
        try:
            rates = rates_over(self.schedule, self.schedule.optimizer, min(expected, MOST_TICKS))
        except Exception as error:  # noqa: BLE001  # a schedule of the user's own may raise whatever it likes
            at = int(self.schedule.last_epoch)
            breaks = ScheduleBreaks(
                step=0,
                schedule=name,
                site=self.site,
                at=at,
                expected=expected,
                message=f"{type(error).__name__}: {error}",
            )
            return breaks if expected >= SURE * at else None
        return tried(
            rates, schedule=name, site=self.site, every="step", steps=expected, epoch_steps=None, known_length=True
        )


class Schedules:
    def __init__(self, book: Book) -> None:
        self._book = book
        self._followed: dict[int, _Followed] = {}

    def about_to_step(self, schedule: Any) -> None:
        """Its first step is made when it is built, and belongs to no round."""
        if not self._book.steps or not getattr(schedule, "_step_count", 1):
            return
        if id(schedule) not in self._followed:
            if len(self._followed) >= MOST_FOLLOWED:
                return
            self._followed[id(schedule)] = _Followed(_apart(schedule), sites.caller(), self._loops())
        self._followed[id(schedule)].calls += 1

    def _loops(self) -> tuple[Loop, ...]:
        frame: FrameType | None = sys._getframe(1)
        found: list[Loop] = []
        while frame is not None:
            found += self._book.around(frame.f_code.co_filename, frame.f_lineno or 0)
            frame = frame.f_back
        return tuple(found)

    def played_out(self) -> Iterator[ScheduleTried | ScheduleBreaks]:
        followed, self._followed = self._followed, {}
        for one in followed.values():
            if (found := one.played_out()) is not None:
                yield found


def _apart(schedule: Any) -> Any:
    """A copy that steps nothing of the program's."""
    groups = [
        {key: value for key, value in group.items() if key != "params"} for group in schedule.optimizer.param_groups
    ]
    stand_in = torch.optim.SGD([torch.zeros(1)], lr=0.0)
    stand_in.param_groups = [{**copy.deepcopy(group), "params": []} for group in groups]
    found = copy.copy(schedule)
    found.__dict__ = {key: copy.copy(value) for key, value in schedule.__dict__.items() if key != "optimizer"}
    found.optimizer = stand_in
    return found


def follow(schedules: Schedules, shielded: Callable[[Callable[..., None]], Callable[..., None]]) -> None:
    """Those that combine others, or follow a metric, step by their own means and are left out."""
    kind: Any = torch.optim.lr_scheduler.LRScheduler
    original, told = kind.step, shielded(schedules.about_to_step)

    @functools.wraps(original)
    def step(self: Any, *arguments: Any, **options: Any) -> Any:
        told(self)
        return original(self, *arguments, **options)

    kind.step = step
