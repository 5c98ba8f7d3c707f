"""Where probes run so that nothing of them reaches the experiment.

Each in a forked copy of the process, several at once, ended when it takes too long. Where a process cannot be forked
(CUDA is initialised, say), one after the other in this one, on copies, with everything shared put back afterwards.
"""

import contextlib
import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, NoReturn

import torch

from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.keeping import kept
from firstlight.experiments.declared.stumbling import Stumbled
from firstlight.experiments.inside.forking import fork
from firstlight.experiments.inside.nursery import why_not_fork
from firstlight.observe.inside import cores
from firstlight.records import wire
from firstlight.records.declared import Logged, ProbeEnded
from firstlight.records.events import Fact
from firstlight.store.event_log import EventLog
from firstlight.store.run_directory import RunDirectory

Emit = Callable[[Logged], None]
Work = Callable[[Emit], None]
FAULT = 70
"""Exit code of a copy in which a probe of ours failed (EX_SOFTWARE)."""
MOST_PATIENCE = 6.0
MOST_SAID = 4096
"""Bytes; as many as a pipe takes without a reader."""


@dataclass(frozen=True)
class Task:
    name: str
    work: Work
    typical_seconds: float
    most_seconds: float
    action: str

    def ended(self, seconds: float, overran: bool = False, fault: str = "") -> ProbeEnded:
        return ProbeEnded(
            name=self.name,
            seconds=round(seconds, 3),
            typical_seconds=self.typical_seconds,
            most_seconds=self.most_seconds,
            overran=overran,
            action=self.action,
            fault=fault,
        )


def attempt(task: Task, emit: Emit) -> str:
    """Runs the probe; what its experiment stumbles over is a fact. Returns what went wrong on our side, if anything."""
    try:
        task.work(emit)
    except Stumbled as stumbled:
        emit(stumbled.fact)
    except Exception as error:  # noqa: BLE001  # a broken probe must not take the others with it; FL031 tells of it
        return f"{type(error).__name__}: {error}"
    return ""


@dataclass
class _Child:
    task: Task
    pid: int
    begun: float
    said: int
    """Where its own fault can be read from; the output is shared by all copies."""


@dataclass
class ForkedRooms:
    """As many at once as there are cores."""

    run: RunDirectory
    copies: ClassVar[bool] = False
    at_once: int = field(default_factory=cores.usable)
    _waiting: list[Task] = field(default_factory=list)
    _running: list[_Child] = field(default_factory=list)
    _groups: list[int] = field(default_factory=list)

    def submit(self, task: Task) -> None:
        self._waiting.append(task)

    def settle(self) -> list[ProbeEnded]:
        """Starts what has room, ends what overran, and gives back what is over since it was last asked."""
        ended = [self._over(child) for child in list(self._running)]
        while self._waiting and len(self._running) < self.at_once:
            self._start(self._waiting.pop(0))
        return [end for end in ended if end is not None]

    @property
    def busy(self) -> bool:
        return bool(self._waiting or self._running)

    def _start(self, task: Task) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        owner = os.getpid()
        said, tells = os.pipe()
        try:
            if fork(lambda pid: self._started(task, pid, said)) == 0:
                self._live(task, owner, tells)
        finally:
            os.close(tells)

    def _started(self, task: Task, pid: int, said: int) -> None:
        self._running.append(_Child(task, pid, time.monotonic(), said))
        self._groups.append(pid)

    def _live(self, task: Task, owner: int, tells: int) -> NoReturn:
        """The copy's life. Nothing of the original's clean-up is run in it."""
        code = FAULT
        try:
            withdraw(self.run.output, owner)
            fault = _worked(task, self.run)
            os.write(tells, fault.encode()[:MOST_SAID])
            code = FAULT if fault else 0
        except BaseException as error:
            os.write(tells, f"{type(error).__name__}: {error}".encode()[:MOST_SAID])
            raise
        finally:
            os._exit(code)

    def _over(self, child: _Child) -> ProbeEnded | None:
        seconds = time.monotonic() - child.begun
        found, status = os.waitpid(child.pid, os.WNOHANG)
        if found == 0 and seconds <= child.task.most_seconds * patience():
            return None
        self._running.remove(child)
        if found == 0:
            _kill(child.pid)
            os.waitpid(child.pid, 0)
        fault = _heard(child.said)
        if found == 0:
            return child.task.ended(seconds, overran=True)
        code = os.waitstatus_to_exitcode(status)
        return child.task.ended(seconds, fault=fault if code in (0, FAULT) else f"its process ended with {code}")

    def close(self) -> None:
        """Idempotent. After it, no copy of this process is left."""
        self._waiting.clear()
        for group in self._groups:
            _kill(group)
        for child in self._running:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child.pid, 0)
            os.close(child.said)
        self._running.clear()
        self._groups.clear()


def patience() -> float:
    """How many times its time a probe may take here: on a machine with more to do than cores, everything is slower."""
    waiting = os.getloadavg()[0] / (os.cpu_count() or 1)  # both of the whole machine
    return min(MOST_PATIENCE, max(1.0, waiting))


def withdraw(output: Path, owner: int) -> None:
    """Makes a forked copy stand apart from the original: its own group, its own output, one thread."""
    from firstlight.observe.inside.keeper import end_with

    os.setpgid(0, 0)
    end_with(owner)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    for descriptor in (1, 2):
        os.dup2(written, descriptor)
    torch.set_num_threads(1)


def _writer(log: EventLog) -> Callable[[Logged], None]:
    def write(fact: Logged) -> None:
        log.append(Fact, observed=wire.to_plain(fact))

    return write


def _worked(task: Task, run: RunDirectory) -> str:
    log = EventLog(run.events, run.id, rank=0)
    fault = attempt(task, _writer(log))
    sys.stdout.flush()
    return fault


def _heard(said: int) -> str:
    """What a copy that is over has said; copies of it may live on and hold the other end open."""
    try:
        os.set_blocking(said, False)
        return os.read(said, MOST_SAID).decode(errors="replace")
    except BlockingIOError:
        return ""
    finally:
        os.close(said)


def _kill(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)


@dataclass
class SameRoom:
    """One after the other in this process; `shared` is what the probes could touch."""

    run: RunDirectory
    copies: ClassVar[bool] = True
    shared: tuple[object, ...]
    _waiting: list[Task] = field(default_factory=list)

    def submit(self, task: Task) -> None:
        self._waiting.append(task)

    def settle(self) -> list[ProbeEnded]:
        if not self._waiting:
            return []
        task = self._waiting.pop(0)
        log = EventLog(self.run.events, self.run.id, rank=0)
        begun = time.monotonic()
        try:
            with kept(self.shared):
                fault = attempt(task, _writer(log))
        finally:
            log.close()
        return [task.ended(time.monotonic() - begun, fault=fault)]

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    def close(self) -> None:
        self._waiting.clear()


def rooms_for(run: RunDirectory, experiment: Experiment) -> tuple[ForkedRooms | SameRoom, str | None]:
    """Where to probe, and, where it cannot be in forked copies, why not."""
    reason = why_not_fork()
    if reason is None:
        if experiment.optimizer is not None:
            importlib.import_module("torch._dynamo")  # by the first optimizer; once here instead of in every copy
        return ForkedRooms(run), None
    return SameRoom(run, (experiment.model, experiment.train, experiment.val, experiment.loss)), reason
