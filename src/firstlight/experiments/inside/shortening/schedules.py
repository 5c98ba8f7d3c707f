"""Schedules of the learning rate, as they will play out over the whole program: each is stepped on in a copy.

How often the program steps one follows from the rounds that the loops around the call would make by themselves. Loops
that may be left early (`break`, `return`) or do not say how many rounds they make leave that open, and so does a step
that is told the time (`schedule.step(epoch + share)`), which goes by the program's own clock.
"""

import contextlib
import copy
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import torch

from firstlight.experiments.dry_run import held_against, rates_over, tried
from firstlight.experiments.inside.shortening.rounds import Book, Loop, whole
from firstlight.observe.inside import sites
from firstlight.records.declared import ScheduleTried
from firstlight.records.places import Site
from firstlight.records.rehearsal import ScheduleAhead, ScheduleBreaks

MOST_FOLLOWED = 8
MOST_TICKS = 10_000
LEAST_TICKS = 2
IDLE_TICKS = 1000
"""Steps of one that the program never steps, to see where its rate would have gone."""
AHEAD = 3
"""Times the steps that the program makes of one, or of its optimizers: so far it is asked for what it was planned."""
PAST_PEAK = 1.5
"""Times the steps to the highest rate so far, that it is seen to be a peak."""
ONCE = 0.75
"""Of the steps of optimizers: what is called less often does not follow them."""
SURE = 1.5
"""Times the steps at which a schedule raises that it must be stepped: less may be an error of the estimate."""


@dataclass
class _Followed:
    schedule: Any
    """A copy of it from before its first step in training, with an optimizer of its own."""
    site: Site | None
    loops: tuple[Loop, ...]
    """Around the call and not around its making, the innermost first."""
    calls: int = 0
    begun: int = 0
    updates: int = 0
    """Steps of optimizers since it was made, as of the last call."""
    planned: dict[int, int | None] = field(default_factory=dict)
    """Rounds of those loops, by their identity, as of the last call: another stage may make others of the same loop."""
    told: bool = False
    """The program itself says where it is, and need not go on by one."""

    def expected(self) -> int | None:
        """Each loop around it makes so many times more rounds in the whole program. What is done once in a pass of the
        innermost one, in its last round, and less often than optimizers step, is done once in a round of the next."""
        loops = [replace(loop, planned=self.planned.get(id(loop)) or loop.planned) for loop in self.loops]
        once = len(loops) > 1 and self.calls <= loops[0].passes and self.calls < ONCE * self.updates
        return whole(self.calls, loops[1:] if once else loops) if loops and not self.told else None

    def played_out(self, steps: int | None) -> Iterator[ScheduleTried | ScheduleBreaks | ScheduleAhead]:
        """`steps` are those of optimizers in the whole program."""
        expected = self.expected()
        if expected is None or expected < LEAST_TICKS:
            return
        certain = not any(loop.may_be_left for loop in self.loops)
        name, wanted = type(self.schedule).__name__, min(expected, MOST_TICKS)
        rates, error = _asked(self.schedule, min(MOST_TICKS, max(AHEAD * expected, AHEAD * (steps or 0), IDLE_TICKS)))
        if certain and len(rates) < wanted and error is not None:
            if expected >= SURE * len(rates):
                yield ScheduleBreaks(
                    step=0,
                    schedule=name,
                    site=self.site,
                    at=len(rates),
                    expected=expected,
                    message=f"{type(error).__name__}: {error}",
                )
            return
        if certain:
            length = {"every": "step", "steps": expected, "epoch_steps": None, "known_length": True}
            yield tried(rates[:wanted], schedule=name, site=self.site, **length)
        if expected < len(rates):
            held = held_against(rates, expected, over=error is not None)
            about: dict[str, Any] = {"ticks": expected, "steps": steps, "certain": certain}
            outer = tuple(loop.planned for loop in self.loops[1:] if loop.planned)
            yield ScheduleAhead(step=0, schedule=name, site=self.site, outer=outer, **about, **held)


def _asked(schedule: Any, ticks: int) -> tuple[list[float], Exception | None]:
    """Its rates, step by step, and what it raised. Where they rise still, it is asked on: a warm-up has an end."""
    rates, highest, risen = list[float](), 0.0, 0
    try:
        while len(rates) < max(ticks, min(MOST_TICKS, PAST_PEAK * risen)):
            rates += rates_over(schedule, schedule.optimizer, 1)
            if rates[-1] > highest:
                highest, risen = rates[-1], len(rates)
    except Exception as error:  # noqa: BLE001  # past its end; one of the user's own may raise whatever it likes
        return rates, error
    return rates, None


@dataclass
class _Idle:
    """A schedule that was made and not stepped so far."""

    schedule: Any
    site: Site | None
    stood: Any
    """Where it stood when it was made."""
    loops: tuple[Loop, ...] = ()
    """Around its making."""
    begun: int = 0
    """Steps of optimizers before it was made."""

    def played_out(self) -> Iterator[ScheduleTried]:
        """What it would have done to an optimizer that steps, as far as it goes."""
        moved = getattr(self.schedule, "last_epoch", None) != self.stood  # by whatever means
        if moved or not getattr(self.schedule.optimizer, "_opt_called", False):
            return
        rates, _ = _asked(_apart(self.schedule), IDLE_TICKS)
        about = {"every": "never", "steps": len(rates), "epoch_steps": None, "known_length": False}
        if rates:
            yield tried(rates, schedule=type(self.schedule).__name__, site=self.site, **about)


class Schedules:
    def __init__(self, book: Book) -> None:
        self._book = book
        self._idle: dict[int, _Idle] = {}
        self._followed: dict[int, _Followed] = {}
        self.stepping = False
        """Inside the step of one; what it steps itself belongs to it."""

    def made(self, schedule: Any) -> None:
        if len(self._idle) < MOST_FOLLOWED and hasattr(schedule, "base_lrs"):
            stood = getattr(schedule, "last_epoch", None)
            self._idle[id(schedule)] = _Idle(schedule, sites.caller(), stood, self.loops(), self._book.steps)

    def about_to_step(self, schedule: Any, epoch: Any = None) -> None:
        whole_one, *_ = [self._idle.pop(id(part), None) for part in _parts(schedule)]
        if not self._book.steps:
            return
        if id(schedule) not in self._followed:
            if len(self._followed) >= MOST_FOLLOWED:
                return
            self._followed[id(schedule)] = self._begun(schedule, whole_one)
        followed = self._followed[id(schedule)]
        followed.calls, followed.updates = followed.calls + 1, self._book.steps - followed.begun
        followed.planned = {id(loop): loop.planned for loop in followed.loops if not loop.foreign}
        followed.told = followed.told or (epoch is not None and epoch != schedule.last_epoch + 1)

    def _begun(self, schedule: Any, made: _Idle | None) -> _Followed:
        """Where a library steps it, the user's line is the one that made it."""
        around, loops = () if made is None else made.loops, self.loops()
        foreign = made is not None and any(loop.foreign for loop in loops)
        site = made.site if made is not None and foreign else sites.caller()
        loops = tuple(loop for loop in loops if loop not in around or loop.foreign)
        return _Followed(_apart(schedule), site, loops, begun=0 if made is None else made.begun)

    def loops(self) -> tuple[Loop, ...]:
        """Those that are running, the innermost first."""
        frame: FrameType | None = sys._getframe(1)
        found: list[Loop] = []
        while frame is not None:
            found += self._book.around(frame.f_code.co_filename, frame.f_lineno or 0)
            frame = frame.f_back
        return tuple(found)

    def played_out(self) -> Iterator[ScheduleTried | ScheduleBreaks | ScheduleAhead]:
        followed, self._followed = self._followed, {}
        idle, self._idle = self._idle, {}
        steps = self._book.steps_ahead()
        longest: dict[Site | None, _Followed] = {}
        for one in followed.values():  # of folds and stages that share a line, the one that was least shortened
            if one.site not in longest or one.calls > longest[one.site].calls:
                longest[one.site] = one
        for one in longest.values():
            yield from one.played_out(steps)
        for never in idle.values():
            yield from never.played_out()


def _apart(schedule: Any) -> Any:
    """A copy that steps nothing of the program's."""
    groups = [
        {key: value for key, value in group.items() if key != "params"} for group in schedule.optimizer.param_groups
    ]
    stand_in = torch.optim.SGD([torch.zeros(1)], lr=0.0)
    stand_in.param_groups = [{**copy.deepcopy(group), "params": []} for group in groups]
    return _copied(schedule, stand_in)


def _copied(schedule: Any, optimizer: torch.optim.Optimizer) -> Any:
    """With those that it is made of."""
    found = copy.copy(schedule)
    found.__dict__ = {key: copy.copy(value) for key, value in schedule.__dict__.items() if key != "optimizer"}
    found.optimizer = optimizer
    if hasattr(found, PARTS):
        setattr(found, PARTS, [_copied(part, optimizer) for part in getattr(found, PARTS)])
    return found


def _parts(schedule: Any) -> Iterator[Any]:
    """The schedule, and all that it is made of."""
    yield schedule
    for part in getattr(schedule, PARTS, ()):
        yield from _parts(part)


PARTS = "_schedulers"
"""Under which torch's combinations of schedules keep what they combine."""
FOLLOWED = "firstlight_followed"


def follow(schedules: Schedules, shielded: Callable[[Callable[..., None]], Callable[..., None]]) -> None:
    """One that combines others is followed as a whole. Those that follow a metric are left out.

    A class may have a `step` of its own that never calls the one it inherits, torch's or the user's: each is followed
    from the first of its kind that is made.
    """
    told = shielded(schedules.about_to_step)
    base: Any = torch.optim.lr_scheduler.LRScheduler
    for kind in (base, torch.optim.lr_scheduler.SequentialLR, torch.optim.lr_scheduler.ChainedScheduler):
        _follow_kind(kind, schedules, told)
    _leave_out(base, "_initial_step", schedules)
    _tell_when_made(base, shielded(schedules.made), lambda kind: _follow_kind(kind, schedules, told))


def _tell_when_made(base: Any, made: Callable[..., None], follow_kind: Callable[[Any], None]) -> None:
    original = base.__init__

    @functools.wraps(original)
    def init(self: Any, *arguments: Any, **options: Any) -> None:
        for kind in type(self).__mro__:
            if issubclass(kind, base) and kind is not torch.optim.lr_scheduler.ReduceLROnPlateau:
                follow_kind(kind)
        original(self, *arguments, **options)
        made(self)

    base.__init__ = init


def _follow_kind(kind: Any, schedules: Schedules, told: Callable[..., None]) -> None:
    original = vars(kind).get("step")
    if original is None or getattr(original, FOLLOWED, None) is schedules:
        return

    @functools.wraps(original)
    def step(self: Any, *arguments: Any, **options: Any) -> Any:
        if not schedules.stepping:
            told(self, *arguments[:1], **options)
        with _within(schedules):
            return original(self, *arguments, **options)

    setattr(step, FOLLOWED, schedules)
    kind.step = step


def _leave_out(kind: Any, name: str, schedules: Schedules) -> None:
    """The first step is made when it is built, and belongs to no round."""
    original = getattr(kind, name)

    @functools.wraps(original)
    def method(self: Any) -> Any:
        with _within(schedules):
            return original(self)

    setattr(kind, name, method)


@contextlib.contextmanager
def _within(schedules: Schedules) -> Iterator[None]:
    was, schedules.stepping = schedules.stepping, True
    try:
        yield
    finally:
        schedules.stepping = was
