"""`fl.guard(model, optimizer)`: attaches to live objects by their own hooks, and lets go of them on `close`."""

import atexit
import dataclasses
from collections import deque
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Unpack

import torch
from torch import nn
from torch.optim.lr_scheduler import LRScheduler

from firstlight.errors import RedFlagError
from firstlight.guard import crashing, sinks, taps
from firstlight.guard.batches import Batches
from firstlight.guard.capture.capture import Capture
from firstlight.guard.closing import ending_of, leave_report
from firstlight.guard.hearing import Hearing
from firstlight.guard.journal import Journal
from firstlight.guard.judging import Judge, live_checks
from firstlight.guard.logged import Logged
from firstlight.guard.looking import Looks
from firstlight.guard.moments import Moments
from firstlight.guard.optimizers import must_skip, unwrapped
from firstlight.guard.options import Choices, Options, is_disabled
from firstlight.guard.parts import parts_in
from firstlight.guard.shield import Shield
from firstlight.guard.steps import Steps
from firstlight.guard.telling import Telling
from firstlight.guard.watch import Watch
from firstlight.observe.inside.observer import rank
from firstlight.records.telemetry import StepRow, Trip
from firstlight.store.run_directory import RunDirectory

WINDOW = 200
"""Steps whose numbers are kept at hand, for a capture."""


class Guard:
    """Holds the live objects, weakly entangled with them: everything it added is removed by `close`."""

    def __init__(self, parts: Iterable[Any], options: Options) -> None:
        self.options = options
        self.models: dict[str, nn.Module] = {}
        self.optimizers: list[torch.optim.Optimizer] = []
        self.schedulers: list[LRScheduler] = []
        self.scalers: list[Any] = []
        self.moments = Moments()
        self.trips: list[Trip] = []
        self.window: deque[StepRow] = deque(maxlen=WINDOW)
        self.rank = rank()
        self.shield = Shield()
        self.journal = Journal(options.directory, options.retention, self.rank)
        self.active = not is_disabled()
        self.judge = Judge(live_checks(options.ignore, Path.cwd()) if self.active else (), self.rank)
        self.batches = Batches()
        self.watches: list[Watch] = []
        self.closed = False
        self.status, self.ended = "ok", "the guard was closed"
        """In a word for the log, and in words for the report."""
        self.attentive = True
        """The step under way is looked at."""
        self.telling = Telling(self)
        self.looks = Looks(self)
        self.hearing = Hearing(self)
        self.steps = Steps(self)
        self._handles: list[Any] = []
        self.logged = Logged(self.telling.refused)
        self.shield.told = self.telling.fault
        self.add(*parts)
        if self.active:
            self._begin()

    def _begin(self) -> None:
        if self.options.capture is not None:
            Capture(self.options.capture).listen(self)
        sinks.attach(self, self.options.sinks)
        taps.listen(self.hearing)
        crashing.listen(self.__exit__)
        self.closes_first()

    def closes_first(self) -> None:
        """When the program ends, before whatever has asked for that moment up to now."""
        atexit.unregister(self.close)
        atexit.register(self.close)

    @property
    def step(self) -> int:
        """Steps made by the busiest optimizer."""
        return max((watch.step for watch in self.watches), default=0)

    @property
    def run(self) -> RunDirectory | None:
        """Where the log is; None until the first line was written."""
        return self.journal.run

    @property
    def events(self) -> Path | None:
        return self.run.events if self.run else None

    def add(self, *parts: Any) -> None:
        """Models, optimizers, schedulers, loss scalers, or lists of them; each once, also after training began."""
        if not self.active:
            return
        known = {id(each) for each in (*self.models.values(), *self.optimizers, *self.schedulers, *self.scalers)}
        inner = [unwrapped(part) if isinstance(part, torch.optim.Optimizer) else part for part in parts_in(parts)]
        several = [part for part in {id(part): part for part in inner}.values() if id(part) not in known]
        if self.options.on_nonfinite == "skip":
            for optimizer in several:
                if isinstance(optimizer, torch.optim.Optimizer):
                    must_skip(optimizer)
        for part in several:
            if isinstance(part, nn.Module):
                self.models.setdefault(f"model{len(self.models)}" if self.models else "model", part)
            elif isinstance(part, torch.optim.Optimizer):
                self.optimizers.append(part)
            elif isinstance(part, LRScheduler):
                self.schedulers.append(part)
            else:
                self.scalers.append(part)
        for optimizer in self.optimizers[len(self.watches) :]:
            self._handles += self.steps.follow(optimizer)

    def log(self, loss: Any = None, **components: Any) -> None:
        """Numbers of the step under way. `loss` is taken in place of the one backward was called on."""
        self.logged.add({"loss": loss, **components})

    def clip_grad_norm_(self, parameters: Any, max_norm: float, *rest: Any, **keywords: Any) -> torch.Tensor:
        """As torch's; on a CUDA device in the pass that takes the statistics, which then cost nothing of their own."""
        several = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        norm = None if rest or keywords or self.closed else self.hearing.clip(several, float(max_norm))
        return nn.utils.clip_grad_norm_(several, max_norm, *rest, **keywords) if norm is None else norm

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        atexit.unregister(self.close)
        taps.leave(self.hearing)
        crashing.leave(self.__exit__)
        for handle in self._handles:
            handle.remove()
        self.shield.open = False
        self.shield("the last steps", self.steps.judge)()
        self.shield("the last numbers", self._judge_logged)()
        self.shield("looks", self.looks.close)()
        self.tell(self.moments.closing)
        self.shield("the end", self.telling.end)()
        self.journal.close()
        self.shield("the report", leave_report)(self, self.telling.seconds)

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None and not self.closed:
            self.status, self.ended = ending_of(error)
            if self.status not in ("ok", "stopped"):
                self.telling.crash(error)
                if self.status == "crashed":
                    self.tell(self.moments.crashed, error)
        self.close()

    def _judge_logged(self) -> None:
        """Numbers that were told after the last step: they are of the weights it left."""
        loss, components = self.logged.take()
        if not self.step or not components:
            return
        row = StepRow(step=self.step - 1, loss=loss, components=components)
        self.telling.step(row)
        self.tell(self.moments.measured, row)
        for trip in self.judge.told(row):
            self.trip(trip)

    def trip(self, trip: Trip) -> None:
        """Raises a red flag: told, captured by whoever listens, then as the user chose. Once for an incident."""
        if trip.since is not None:
            self.telling.since(trip, trip.since)
            return
        self.trips.append(trip)
        self.telling.trip(trip)
        self.tell(self.moments.tripped, trip)
        if callable(self.options.on_red):
            self.shield.calls(self.options.on_red, trip, self)
        elif self.options.on_red == "stop" and not self.closed:
            finding = trip.finding
            raise RedFlagError(f"{finding.id} {finding.name}: {finding.saw}. {finding.do}.")

    def tell(self, listeners: list[Any], *arguments: Any) -> None:
        for listener in listeners:
            self.shield(f"{listener.__module__}.{listener.__qualname__}", listener)(self, *arguments)


def guard(*parts: Any, **options: Unpack[Choices]) -> Guard:
    """Watches every step of the given models and optimizers until it is closed.

    `on_red="warn"`: or `"stop"` (the step raises `firstlight.RedFlagError`, for a warning as for an error), or a
    function of the trip and the guard. `on_nonfinite="tell"`: `"skip"` has fused optimizers leave out a step whose
    gradients are not finite. `every=200`: steps between two looks at activations and predictions, 0 for none.
    `cost=None`: share of a step's time the host may spend on a look; where it takes more, as at small models, not every
    step is looked at; None looks at every step. `fixed_batch=None`: inputs, a pair of inputs and targets, or `"first"`
    for the first batch after step 1, whose predictions are followed. `invariants=()`: `firstlight.Invariant` or
    mappings, held against the first model every `every` steps. `ignore=()`: checks to leave out. `directory=None`:
    where `.firstlight/runs/` is made. `retention`: how much of a long run the log keeps. `capture`: a
    `firstlight.Capturing`, what is kept for a replay when a flag goes up; None for nothing. `sinks=()`: where the
    numbers go besides the log, by name or as objects. With FIRSTLIGHT_DISABLED=1 in the environment it does nothing.
    """
    return guarding(parts, Options.of(options))


def guarding(parts: Iterable[Any], options: Options) -> Guard:
    """`guard`, with options understood already: a framework's callback is given them before there are parts."""
    if options.directory is None:
        options = dataclasses.replace(options, directory=handed_over())
    return Guard(parts, options)


def handed_over() -> RunDirectory | None:
    """The run of `firstlight run`, where the program it started attaches a guard of its own."""
    from firstlight.guard import inside

    return inside.hand_over()
