"""What would have become of another reward? Asked by giving it, once, to a copy of the program.

When an episode ends, the process forks: the copy is given another reward for its last step, and is the same otherwise.
A second one is given another reward for the first step of the next episode. Both go on until something differs in what
their losses are told: the answers that predictions meet, and the weights by which actions become likelier. Which
examples change, which way and by how much, says what the program makes of rewards, wherever and however it does so: a
reward must count for the step it was given for and for those before it in the same episode, and for nothing else.

In a third copy the reward stays, and its networks say a little more of what was shown when the episode ended: nothing
comes after an end, and no answer of that episode may rise by it.
"""

import json
import math
import os
import random
import select
import signal
import sys
import time
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.experiments.inside import seclusion
from firstlight.experiments.inside.forking import fork
from firstlight.experiments.inside.nudged import Backward, NudgedCopy, States, changes
from firstlight.experiments.inside.nursery import be_quiet, why_not_fork
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.tape.actions import likelihoods
from firstlight.observe.inside.tape.compares import DIFFERENCES, MEASURES
from firstlight.observe.inside.tape.tail import Meeting, Tail, tail_of
from firstlight.observe.inside.taps import encounters
from firstlight.observe.inside.taps.dealings import Dealings, Key, Told
from firstlight.observe.inside.taps.models import Call
from firstlight.records.dealings import ACTIONS, VALUES, RewardAsked

TRIALS = 2
LEAST_LENGTH = 3
"""Of an episode, that a reward at its end can count for others than its last step."""
MOST_BACKWARDS = 48
MOST_KEPT = 4 * MOST_BACKWARDS
MOST_SECONDS = 10
"""With a core."""
ALARM_SECONDS = 6 * MOST_SECONDS
MOST_COMPARED = 4096
MOST_STEPS = 200
"""No copy is made later."""
PATIENCE = 5.0
"""Seconds that are waited for copies at the end."""
MOST_TOLD = 64
RISE = 1.0
"""Of what networks say of the end of an episode: as much for every output, so that what is chosen stays the same."""


@dataclass
class Nudge:
    key: Key
    length: int
    at_end: NudgedCopy
    at_start: NudgedCopy | None = None
    episode: int = 0
    """Of those of its environment, the one that ended."""
    beyond: NudgedCopy | None = None
    """In which networks say more of where it ended; none where that had been seen before."""

    @property
    def copies(self) -> list[NudgedCopy]:
        return [copy for copy in (self.at_end, self.at_start, self.beyond) if copy is not None]

    def leave(self) -> None:
        for copy in self.copies:
            copy.leave()


@dataclass
class Nudging:
    observer: Observer
    dealings: Dealings
    encounters: encounters.Encounters
    backwards: list[Backward] = field(default_factory=list)
    trial: Nudge | None = None
    trials: int = 0
    _write: int | None = None
    """In a copy: where it tells the original what came of it."""
    _deadline: float = 0.0
    _under_way: dict[str, list[Any]] = field(default_factory=dict)
    _hooks: list[Any] = field(default_factory=list)
    _states: States = field(default_factory=dict)
    _raised: set[int] = field(default_factory=set)
    """In a copy: states of which networks say more."""

    def taped(self) -> bool:
        return self.trial is not None or self._write is not None

    def exchanged(self, told: Told) -> tuple[Any, ...]:
        if self._write is not None:
            self._end_in_time()
            return told.result
        trial = self.trial
        if trial is None:
            place = next((at for at, end in enumerate(told.ends) if end and told.lengths[at] >= LEAST_LENGTH), None)
            if place is None or not self._may_begin():
                return told.result
            copy = self._copy(told, place)
            if copy is None:
                return self._changed(told, place)[0]
            key = told.keys[place]
            trial = self.trial = Nudge(key, told.lengths[place], copy, episode=self.encounters.episodes[key] - 1)
            self.trials += 1
            if shown := self.encounters.unseen[place]:
                trial.beyond = self._copy(told, place)
                self._raised = set() if trial.beyond else shown
        elif trial.at_start is None and (place := self._next(trial, told)) is not None:
            trial.at_start = self._copy(told, place)
            if trial.at_start is None:
                return self._changed(told, place)[0]
        return told.result

    def _may_begin(self) -> bool:
        fits = self.trials < TRIALS and self.observer.timeline is None and not self.observer.light
        varied = len(self.dealings.rewards) > 1 or self.dealings.exchanges > MOST_BACKWARDS
        return fits and varied and self.observer.step < MOST_STEPS and why_not_fork() is None

    def _next(self, trial: Nudge, told: Told) -> int | None:
        """The first step of the next episode, where it was seen to end.

        One of several environments that has ended may say so at each further step, until all are begun anew.
        """
        if trial.key in told.keys:
            place = told.keys.index(trial.key)
            return place if told.lengths[place] == 1 and not told.ends[place] else None
        return 0 if told.lengths == [1] and not told.ends[0] and len(self.dealings.running) <= 1 else None

    def _changed(self, told: Told, place: int) -> tuple[tuple[Any, ...], float]:
        """With another reward, that has been given before where others were."""
        was, known = told.rewards[place], self.dealings.rewards
        other = max((min(known), max(known)), key=lambda one: abs(one - was))
        wanted = other if other != was else (was / 2 if was else 1.0)
        given = told.result[told.at]
        if getattr(given, "ndim", 0):
            changed = given.clone() if isinstance(given, torch.Tensor) else given.copy()
            changed[place] = wanted
        elif isinstance(given, int | float):
            changed = type(given)(wanted)
        else:
            changed = given * 0 + wanted
        result = (*told.result[: told.at], changed, *told.result[told.at + 1 :])
        return result, wanted - was

    def _copy(self, told: Told, place: int) -> NudgedCopy | None:
        """None in the copy."""
        sys.stdout.flush()
        sys.stderr.flush()
        read, write = os.pipe()
        state = random.getstate()
        unit = self._changed(told, place)[1]
        pid = fork()
        if pid:
            os.close(write)
            os.set_blocking(read, False)
            return NudgedCopy(pid, read, len(self.backwards), unit)
        random.setstate(state)
        os.close(read)
        signal.alarm(ALARM_SECONDS)
        be_quiet()
        torch.set_num_threads(1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        seclusion.withdraw(self.observer, f"other-reward-{os.getpid()}")
        self.observer.light = True
        self.observer.moments.training_begins.clear()  # other copies are made of the original alone
        self.observer.note = lambda *_, **__: None  # type: ignore[method-assign]  # the pipe tells all there is
        self._write, self._deadline = write, time.process_time() + MOST_SECONDS
        return None

    def backward_begins(self, root: torch.Tensor, _retain: bool, functional: bool) -> None:
        self._under_way, self._hooks, self._states = {}, [], {}
        if not self.taped() or functional or root.numel() != 1:
            return
        tail = tail_of(self.dealings.recorder, root)
        if tail is None:
            return
        found, chosen = _answers(tail), list(likelihoods(tail))
        if self._write is None:
            self._states = {VALUES: self._beside(found), ACTIONS: self._acted_on(chosen)}
        self._under_way = {VALUES: [meeting.answer.detach().flatten().tolist() for meeting in found], ACTIONS: []}
        for at, tensor in enumerate(chosen):
            self._under_way[ACTIONS].append(None)
            self._hooks.append(tensor.register_hook(lambda slope, at=at: self._pulled(at, slope)))

    def model_returned(self, call: Call) -> None:
        for output in reading.tensors_in(call.output) if self._raised else ():
            for rows in {math.prod(output.shape[:axes]) for axes in range(output.ndim + 1)}:
                known = next((read for one in call.inputs if (read := self.encounters.read(one, rows))), [])
                places = [at for at, state in enumerate(known) if state in self._raised]
                if places and output.is_floating_point() and output.is_contiguous():
                    output.data.view(rows, -1)[places] += RISE

    def _beside(self, found: list[Meeting]) -> list[tuple[int, ...]]:
        """For each answer, none where it is not plain."""
        told: list[tuple[int, ...]] = []
        for meeting in found:
            predicted = [tensor for tensor, _, _ in meeting.row.inputs if tensor.requires_grad]
            states = self.encounters.beside(predicted[0]) if len(predicted) == 1 else []
            told += states if len(states) == meeting.answer.numel() else [()] * meeting.answer.numel()
        return told

    def _acted_on(self, chosen: list[torch.Tensor]) -> list[tuple[int, ...]]:
        """For each action, whichever network made it likely; an action of several parts has a row of likelihoods."""
        told: list[tuple[int, ...]] = []
        for tensor in chosen:
            rows = len(tensor) if tensor.ndim == 2 and tensor.numel() != len(tensor) else tensor.numel()
            told += self.encounters.acted_on(rows) or [()] * rows
        return told

    def _pulled(self, at: int, slope: torch.Tensor) -> None:
        pull = -slope.detach()
        if pull.ndim == 2 and bool((pull == pull[:, :1]).all()):
            pull = pull[:, 0]  # one action of several parts
        self._under_way[ACTIONS][at] = pull.flatten().tolist()

    def backward_ended(self, _root: torch.Tensor) -> None:
        for hook in self._hooks:
            hook.remove()
        if not self.taped():
            return
        vectors = {
            kind: [one for part in parts if part is not None for one in part] for kind, parts in self._under_way.items()
        }
        kept = {kind: vector for kind, vector in vectors.items() if len(vector) <= MOST_COMPARED}
        self.backwards.append(Backward(self.dealings.exchanges, sites.caller(), kept, self._states))
        if self._write is not None:
            self._tell(self._write, self.backwards[-1])
            self._end_in_time()
        if self.trial is not None:
            self._hear(self.trial, 0.0)
        if self.trial is not None and len(self.backwards) > MOST_KEPT:  # no next episode began
            self.trial.leave()
            self.trial = None
            self.backwards.clear()

    @staticmethod
    def _tell(write: int, seen: Backward) -> None:
        """At once: a copy that gets no core in time has told what it saw until then."""
        told = json.dumps(seen.vectors).encode() + b"\n"
        while told:
            told = told[os.write(write, told) :]

    def _end_in_time(self) -> None:
        """In a copy."""
        if len(self.backwards) >= MOST_BACKWARDS or time.process_time() >= self._deadline:
            os._exit(0)

    def _hear(self, trial: Nudge, patience: float) -> None:
        """The trial ends with its copies, when what they have told decides it, or with the program."""
        deadline = time.monotonic() + patience
        for copy in trial.copies:
            while not self._decides(trial, copy) and _has_more(copy, deadline):
                copy.listen()
        if trial.at_start is None or not (patience or all(self._decides(trial, copy) for copy in trial.copies)):
            return
        for asked in self._compared(trial, trial.at_start):
            self.observer.emit(asked)
        trial.leave()
        self.trial = None
        self.backwards.clear()

    def _decides(self, trial: Nudge, copy: NudgedCopy) -> bool:
        if copy is trial.beyond:  # where nothing rises, it was told what the reward changed and this did not
            return copy.over or len(copy.backwards) >= len(trial.at_end.backwards)
        return copy.decides(self.backwards[copy.first :])

    def begin_anew(self) -> None:
        """In a process that comes from this one: it holds the ends of the same pipes, and what comes out of them is for
        the one that asked."""
        self.trial = None
        self.backwards.clear()

    def ending(self) -> None:
        if self.trial is not None:
            self._hear(self.trial, PATIENCE)

    def _compared(self, trial: Nudge, start: NudgedCopy) -> list[RewardAsked]:
        found = [changes(copy, self.backwards[copy.first :]) for copy in (trial.at_end, start)]
        risen = [changes(copy, self.backwards[copy.first :]) for copy in [trial.beyond] if copy is not None]
        told = []
        for kind in (VALUES, ACTIONS):
            rows = min(change.rows[kind] for change in found)
            around = found[0].around[kind]
            own, others = self._belong(trial, found[0].states[kind])
            beyond = [state for change in risen for state in change.states[kind]]
            if rows:
                told.append(
                    RewardAsked(
                        site=next((change.site for change in (*found, *risen) if change.site is not None), None),
                        kind=kind,
                        at_end=tuple(found[0].found[kind][:MOST_TOLD]),
                        at_start=tuple(found[1].found[kind][:MOST_TOLD]),
                        together=all(change.together for change in found),
                        length=trial.length,
                        rows=rows,
                        rollouts=min(change.rollouts for change in found),
                        exchanges=self.dealings.exchanges,
                        own=own,
                        others=others,
                        states=len({states[0] for states in around}),
                        around=len(around),
                        places=self.encounters.places,
                        beyond=self._belong(trial, beyond),
                        ended=self.dealings.ended(),
                    )
                )
        return told

    def _belong(self, trial: Nudge, found: list[tuple[int, ...]]) -> tuple[int, int]:
        """How many were met in the episode that ended, and how many in others alone."""
        own = [self.encounters.own(states, (trial.key, trial.episode)) for states in dict.fromkeys(found)]
        return sum(one is True for one in own), sum(one is False for one in own)


def _has_more(copy: NudgedCopy, deadline: float) -> bool:
    return bool(select.select([copy.read], [], [], max(0.0, deadline - time.monotonic()))[0])


def _answers(tail: Tail) -> list[Meeting]:
    """Of predictions that are compared with values."""
    found = {
        id(meeting.answer): meeting
        for meeting in tail.meetings
        if meeting.row.name in MEASURES | DIFFERENCES and meeting.answer.is_floating_point()
    }
    return [meeting for meeting in found.values() if meeting.answer.numel() <= MOST_COMPARED]


def install(observer: Observer) -> None:
    dealings = observer.dealings
    if dealings is None:
        return
    nudging = Nudging(observer, dealings, encounters.install(observer, dealings))
    os.register_at_fork(after_in_child=nudging.begin_anew)
    dealings.alter, dealings.taped = nudging.exchanged, nudging.taped
    moments = observer.moments
    moments.backward_begins.insert(0, observer.shielded("nudging", nudging.backward_begins))
    moments.backward_ended.append(observer.shielded("nudging", nudging.backward_ended))
    moments.model_returned.append(observer.shielded("nudging", nudging.model_returned))
    moments.ending.append(observer.shielded("nudging", nudging.ending))
