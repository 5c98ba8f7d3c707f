"""One pass of a loop, and when it has made rounds enough."""

import inspect
import itertools
import math
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from firstlight.experiments.inside.shortening.items import innermost, last_of, planned

LEAST_ROUNDS = 2
SLOW_SECONDS = 2.0
"""A loop that takes longer ends after its least rounds, whether it trains or, once training has begun, not."""
SLOW_ROUNDS = 3
"""Of a loop that takes the time and does not train, or no longer."""
FINISH_SECONDS = 4.0
"""All in all, for loops that do not train and say how many rounds are left: half an evaluation fits no targets."""
LONGER_PASSES = 2
"""Of a loop: in two stages of a training something else may happen; of folds and parts one is like the other."""
PATIENCE = 100
"""Rounds without a step that a loop which trained before may make."""


@dataclass(frozen=True, slots=True)
class Plan:
    inner: int
    """Rounds of a loop that steps an optimizer itself."""
    outer: int
    """Rounds of a loop around it."""
    last: str
    """Which loops make their last round too, where what lies between can be read over: `all`, `inner` ones, or `none`.
    A loop around others often counts what was gathered so far."""
    spare: float = 0.0
    """Seconds for more rounds, all in all: of loops around others, and of one that has none around it."""


WHOLE = Plan(inner=sys.maxsize, outer=sys.maxsize, last="none")


@dataclass
class Loop:
    """A loop of the user's source, and what was seen of it."""

    file: str
    first: int
    """The first and the last line of its body."""
    last: int
    may_be_left: bool
    """By `break` or `return`, so that it may make fewer rounds than planned."""
    trains: bool = False
    outer: bool = False
    """It trains by way of another loop."""
    passes: int = 0
    """Those in which it trained."""
    rounds: int = 0
    """Most of them in one pass."""
    planned: int | None = None
    """Rounds it would have made by itself, where that is known."""
    seconds: float = 0.0
    """Per round, in the last pass that trained."""
    skips: bool = True
    """Its last item can be reached in time."""
    went_on: int = 0
    """Passes in which it made more rounds than planned."""
    ended: bool = False
    """It came to its last item, by itself or because those before it were left out."""
    foreign: bool = False
    """It is a library's."""
    fired: set[int] = field(default_factory=set)
    """Its periodic tests that were true at least once."""


class Book:
    """Everything that is known of the loops of one process."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.loops: list[Loop] = []
        self.spare, self.finishing = plan.spare, FINISH_SECONDS
        self.steps = 0
        self.epochs = 0
        """Of loops that are not the user's."""
        self.forced = 0
        """Periodic tests that were made true because nothing else would have."""
        self.saved = 0.0
        """Seconds the whole program would have taken longer."""
        self.unbounded = False
        """Some loop that was cut does not say how many rounds it would have made."""
        self.evaluates_less = False
        """Some loop that does not train was cut too."""
        self._by_file: dict[str, list[Loop]] = {}
        self._running: list[weakref.ref[Pass]] = []
        """From the outermost loop to the innermost one; those left by `break` are gone, or over what lies below."""
        self._around: dict[tuple[str, int], tuple[Loop, ...]] = {}
        self._stepping: dict[tuple[int, ...], tuple[list[Loop], int]] = {}
        """The loops around a step, and how many were made there."""

    def stepped(self, stack: Iterable[tuple[str, int]]) -> None:
        """An optimizer stepped: the loops on the stack train. `stack` names files and lines, the innermost first."""
        self.steps += 1
        training = [loop for file, line in stack for loop in self.around(file, line)]
        key = tuple(map(id, training))
        self._stepping[key] = training, self._stepping.get(key, (training, 0))[1] + 1
        for loop in training:
            loop.trains = True
        for loop in training[1:]:
            loop.outer = True

    def planned_steps(self) -> int | None:
        """Of the whole program, at the most; None where some loop around them does not say how many rounds it makes."""
        return None if self.epochs else self.steps_ahead()

    def steps_ahead(self) -> int | None:
        """The same, with what the loops of libraries say of themselves."""
        found = [whole(count, loops) if loops else None for loops, count in self._stepping.values()]
        known = [steps for steps in found if steps is not None]
        return sum(known) if known and len(known) == len(found) else None

    def register(self, file: str) -> Callable[[int, int, bool], int]:
        def registered(first: int, last: int, may_be_left: bool) -> int:
            loop = Loop(file, first, last, may_be_left)
            self.loops.append(loop)
            self._by_file.setdefault(file, []).append(loop)
            return len(self.loops) - 1

        return registered

    def follow(self, function: Callable[..., Any]) -> Loop:
        """The loop that a function of a library makes, from now on; it is told by others how many rounds there are."""
        code = inspect.unwrap(function).__code__
        lines = [line for _, _, line in code.co_lines() if line]
        loop = Loop(code.co_filename, min(lines), max(lines), may_be_left=False, passes=1, foreign=True)
        others = [one for one in self._by_file.get(loop.file, ()) if (one.first, one.last) != (loop.first, loop.last)]
        self._by_file[loop.file] = [*others, loop]
        self._around = {place: found for place, found in self._around.items() if place[0] != loop.file}
        return loop

    def around(self, file: str, line: int) -> tuple[Loop, ...]:
        """The loops whose body holds that line, the innermost first."""
        if file not in self._by_file:
            return ()
        if (file, line) not in self._around:
            found = [loop for loop in self._by_file[file] if loop.first <= line <= loop.last]
            self._around[file, line] = tuple(sorted(found, key=lambda loop: (loop.last - loop.first, -loop.first)))
        return self._around[file, line]

    def over(self, number: int, iterable: Iterable[Any]) -> "Pass":
        return Pass(self, self.loops[number], iterable)

    def begin(self, number: int) -> "Pass":
        return Pass(self, self.loops[number], None)

    def due(self, number: int, test: int, value: Any) -> Any:
        """What is done every so many rounds of a loop that trains is done in this one, if it was not done before."""
        loop = self.loops[number]
        if value or not loop.trains or test in loop.fired:
            if value:
                loop.fired.add(test)
            return value
        loop.fired.add(test)
        self.forced += 1
        return True

    def entered(self, one: "Pass") -> None:
        while self._running and self._running[-1]() is None:
            self._running.pop()
        self._running.append(weakref.ref(one))

    def back_at(self, one: "Pass") -> None:
        """At the head of a loop: what lies within it and was left by `break` is over."""
        if not any(ref() is one for ref in self._running):
            return  # another thread has taken it for its own
        while (top := self._running[-1]()) is not one:
            one.missing += 0.0 if top is None else top.missing
            self._running.pop()

    def left(self, one: "Pass", missing: float | None) -> None:
        """`missing` are the seconds it would have gone on for; None where nobody knows."""
        around = [found for ref in self._running if (found := ref()) is not None and found is not one]
        self._running = [weakref.ref(found) for found in around]
        self.unbounded = self.unbounded or missing is None
        if around:
            around[-1].missing += missing or 0.0
        else:
            self.saved += missing or 0.0

    def lend(self) -> float:
        """Half of the seconds that are left for more rounds: what comes later has the other half."""
        self.spare /= 2
        return self.spare

    def is_outermost(self, one: "Pass") -> bool:
        return next((found for ref in self._running if (found := ref()) is not None), None) is one

    def counted(self) -> int | None:
        """What the outermost loop that runs is counting."""
        running = [found for ref in self._running if (found := ref()) is not None]
        return next((one.number for one in running if one.number is not None), None)

    def begin_anew(self) -> None:
        """In a forked process: whether it trains is seen from here on. One that loads data never does."""
        self.steps = 0
        self._running = []


def whole(times: int, loops: Iterable[Loop]) -> int | None:
    """How often the whole program does what was done so many times inside of these loops; None where one of them does
    not say how many rounds it makes. One that was left and never trained only stands on the same line."""
    found = float(times)
    for loop in loops:
        if loop.rounds and not loop.passes:
            continue
        if loop.planned is None or not loop.rounds:
            return None
        found *= max(1.0, loop.planned / loop.rounds)
    return round(found)


class Pass:
    """From the moment a loop is entered to the moment it is left."""

    def __init__(self, book: Book, loop: Loop, iterable: Iterable[Any] | None) -> None:
        self._book, self._loop, self._iterable = book, loop, iterable
        self._items = iter(itertools.repeat(None) if iterable is None else iterable)
        self._begun = time.monotonic()
        self._steps = book.steps
        self._made = self._trained = self._idle = 0
        self._last = False
        self._head, self._round = self._begun, 0.0
        """When it was at its head the last time, and how long the round before took."""
        self._whole: bool | None = None
        """It does not train, took its time, and is made to its end nevertheless."""
        self._until: float | None = None
        """It makes more rounds than planned until then."""
        self._source: Any = None
        self.missing = 0.0
        """Seconds that loops within it would have taken longer."""
        self.number: int | None = None
        """Of the round, where it goes over numbers, or over pairs that begin with one."""
        book.entered(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._book.steps:  # nothing trains yet: preparing data must not become slow
            self._made += 1
            return self._given(next(self._items))
        self._count()
        if self._last:
            self._leave(cut=True)
            raise StopIteration
        if self._enough():
            return self._skip_to_last()
        try:
            item = next(self._items)
        except StopIteration:
            self._loop.ended = True
            self._leave(cut=False)
            raise
        self._made += 1
        return self._given(item)

    def _given(self, item: Any) -> Any:
        first = item[0] if type(item) is tuple and item else item
        if type(first) is int:
            self.number = first
        return item

    def again(self) -> bool:
        """Whether a `while` whose condition holds makes another round."""
        if not self._book.steps:
            self._made += 1
            return True
        self._count()
        if self._enough():
            self._leave(cut=True)
            return False
        self._made += 1
        return True

    def _count(self) -> None:
        """At the head of the loop: did the round before train?"""
        book, loop, now = self._book, self._loop, time.monotonic()
        self._head, self._round = now, now - self._head
        stepped, self._steps = book.steps != self._steps, book.steps
        self._trained += stepped
        self._idle = 0 if stepped else self._idle + 1
        book.back_at(self)
        if loop.trains and stepped and self._trained == 1:
            self._source = None if self._iterable is None else innermost(self._iterable)
            loop.planned = planned(self._iterable, self._made)

    @property
    def _most(self) -> int:
        return self._book.plan.outer if self._loop.outer else self._book.plan.inner

    def _enough(self) -> bool:
        slow = time.monotonic() - self._begun > SLOW_SECONDS
        if not self._loop.trains:
            enough = slow and bool(self._book.steps) and self._made >= SLOW_ROUNDS and not self._finishes()
            self._book.evaluates_less = self._book.evaluates_less or enough
            return enough
        if self._idle > (SLOW_ROUNDS if slow else PATIENCE):
            return True
        return self._trained >= (min(LEAST_ROUNDS, self._most) if slow else self._most) and not self._goes_on()

    def _finishes(self) -> bool:
        """At its pace it will be done in the time that there is for it."""
        if self._whole is None:
            count = planned(self._iterable, self._made)
            elapsed = time.monotonic() - self._begun
            needed = math.inf if count is None else elapsed * (count / self._made - 1)
            self._whole = needed < self._book.finishing
            self._book.finishing -= needed if self._whole else 0.0
        return self._whole

    def _goes_on(self) -> bool:
        """What is done in the middle of a run, such as thawing layers, is reached by many rounds that are short now."""
        if not self._loop.outer and not self._book.is_outermost(self):
            return False
        if self._until is None:
            again = self._loop.went_on >= LONGER_PASSES
            self._until = self._head + (0.0 if again else self._book.lend())
            self._loop.went_on += 1
        return self._head + self._round < self._until

    def _skip_to_last(self) -> Any:
        loop = self._loop
        wanted = self._book.plan.last in (("all",) if loop.outer else ("all", "inner"))
        if wanted and loop.trains and loop.skips and self._source is not None:
            found = last_of(self._items)
            loop.skips = bool(found)
            if found:
                self._made += 1
                self._last = loop.ended = True
                return found[0]
        self._leave(cut=True)
        raise StopIteration

    def _leave(self, cut: bool) -> None:
        loop, elapsed = self._loop, time.monotonic() - self._begun
        if self._until is not None:
            self._book.spare += max(0.0, self._until - time.monotonic())
        if not loop.trains:
            self._book.left(self, 0.0)
            return
        loop.passes += self._trained > 0
        loop.rounds = max(loop.rounds, self._made)
        loop.seconds = (elapsed + self.missing) / max(1, self._made)
        total = loop.planned if cut else self._made
        self._book.left(self, None if total is None else max(0.0, total * loop.seconds - elapsed))
