"""One guarded step, from left to right: what is read is put into windows, judged, written down, and acted upon.

On the host the numbers of a step are there before its weights move, and so is the verdict: a step that is refused has
changed nothing. On a device they come in a step or two later.
"""

import functools
import math
import time
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from firstlight.guard.optimizers import has_closure
from firstlight.guard.pacing import Pace
from firstlight.guard.resuming import momentum_over_gradient, resumed_state
from firstlight.guard.statistics.rows import Frame
from firstlight.guard.statistics.subjects import names_of
from firstlight.guard.watch import Pending, Watch
from firstlight.records.telemetry import StepRow

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class Steps:
    """The steps of every optimizer that a guard follows."""

    def __init__(self, guard: "Guard") -> None:
        self._guard = guard
        self._judge = guard.shield("judging", self.judge)
        self._look = guard.shield("looks", guard.looks.step_ended)

    def follow(self, optimizer: torch.optim.Optimizer) -> list[Any]:
        """From its next step on. The handles that are returned end it."""
        guard = self._guard
        watch = Watch(len(guard.watches), optimizer, guard.models, guard.options.on_nonfinite == "skip")
        if guard.models and not names_of(guard.models).keys() & watch.subjects.by_identity().keys():
            guard.telling.stranger(optimizer)
        watch.pace = Pace(None if any(watch.subjects.parted) else guard.options.cost)  # ranks must look together
        watch.ready, watch.recent = functools.partial(self._fill, watch.index), guard.hearing.recent
        guard.watches.append(watch)
        resumed = guard.shield("resuming", lambda optimizer: self._resumed(watch))
        return [
            optimizer.register_step_pre_hook(self._before(watch)),
            optimizer.register_step_post_hook(self._after(watch)),
            optimizer.register_load_state_dict_post_hook(resumed),
        ]

    def _before(self, watch: Watch) -> Any:
        """The weights are about to move: all that can be known of the step is known and judged here."""
        guard = self._guard
        read = guard.shield("statistics", watch.begins)
        shield_step = guard.shield("statistics", watch.shield_step)
        end_look = guard.shield("looks", guard.looks.step_begins)
        join = guard.shield("counting", self._joins)

        def before(optimizer: torch.optim.Optimizer, arguments: Any, keywords: Any) -> None:
            begun, closure = time.perf_counter(), has_closure(arguments, keywords)
            join(watch)
            if guard.attentive:
                read(closure)
                end_look(watch)
            guard.tell(guard.moments.step_begins, optimizer)
            if guard.attentive and not closure:
                self._judge()
                shield_step()
            watch.before_s = time.perf_counter() - begun

        return before

    def _joins(self, watch: Watch) -> None:
        """The count of steps goes on: an optimizer that joins later is at the step the others are at.

        One that takes over weights of another, as after a resume, takes over what is known of them as well.
        """
        if watch.is_resumed or (watch.is_new and watch.optimizer.state):  # from outside it is met at its first step
            self._check_momentum(watch)
        if not watch.is_new:
            return
        watch.is_new = False
        held = watch.subjects.by_identity().keys()
        older = [each for each in self._guard.watches if each is not watch and each.step]
        heir_of = next((each for each in reversed(older) if held & each.subjects.by_identity().keys()), None)
        watch.step = self._guard.step if heir_of is not None else max(self._guard.step - 1, 0)
        if heir_of is not None:
            self._guard.judge.windows.succeeds(watch.index, heir_of.index)

    def _after(self, watch: Watch) -> Any:
        """The weights have moved. A step with a closure made its gradients on the way, and is judged only now."""
        guard = self._guard
        ended = guard.shield("statistics", watch.ended)

        def after(optimizer: torch.optim.Optimizer, arguments: Any, keywords: Any) -> None:
            begun, attentive, closure = time.perf_counter(), guard.attentive, has_closure(arguments, keywords)
            if attentive:
                ended(closure)
                guard.hearing.step_ended()
            else:
                watch.step += 1
            guard.tell(guard.moments.step_ended, optimizer)
            if attentive or guard.looks.is_due(guard.step):
                self._look(guard.step)
                if closure or not attentive:
                    self._judge()
            watch.over(watch.before_s + time.perf_counter() - begun if attentive else None)
            guard.attentive = guard.looks.armed or any(each.is_due for each in guard.watches)

        return after

    def judge(self) -> None:
        """Whatever has come in: the steps first, then what was looked at now and then."""
        guard = self._guard
        for watch in guard.watches:
            for row, frame in watch.arrived():
                self._judge_row(watch, row, frame)
        for trip in guard.looks.arrived():
            guard.trip(trip)

    def _judge_row(self, watch: Watch, row: StepRow, frame: Frame | None) -> None:
        guard, due = self._guard, row.skipped
        guard.window.append(row)
        if frame is not None:
            due = guard.judge.is_due(watch.looks)
            watch.looks += 1
            guard.telling.step(row, watch, frame)
            guard.looks.measured(watch, frame)
        guard.tell(guard.moments.measured, row)
        if row.loss is not None and not math.isfinite(row.loss):
            watch.pace.hurries()
        trips = guard.judge.sees(row, watch.seen(row, frame, due, guard.looks.memory(row.step)), due)
        if not guard.judge.over and guard.judge.windows.is_urgent(row):
            guard.tell(guard.moments.leapt, row)
        for trip in trips:
            guard.trip(trip)

    def _fill(self, optimizer: int, pending: Pending) -> None:
        """With what the guard alone knows of the step."""
        guard = self._guard
        pending.wait_s, pending.samples, pending.batch = guard.batches.take()
        if pending.samples:
            guard.judge.windows.fed(optimizer, guard.batches.labels(), guard.batches.size())
        pending.given_loss, pending.components = guard.logged.take()

    def _resumed(self, watch: Watch) -> None:
        watch.is_resumed = True
        self._judge_resume(watch, math.nan)

    def _check_momentum(self, watch: Watch) -> None:
        """At the first step after a resume, when there are gradients to compare with."""
        watch.is_resumed = False
        if watch.subjects.device.type == "cpu":
            self._judge_resume(watch, momentum_over_gradient(watch.optimizer))

    def _judge_resume(self, watch: Watch, momentum: float) -> None:
        guard = self._guard
        fact = resumed_state(watch.optimizer, watch.subjects, guard.rank)
        for trip in guard.judge.judge([msgspec.structs.replace(fact, step=guard.step, momentum=momentum)]):
            guard.trip(trip)
