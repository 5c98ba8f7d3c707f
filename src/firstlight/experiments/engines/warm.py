"""A warm parent seen from outside: started once, asked for a process whenever one is needed."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

import msgspec

from firstlight.experiments.inside.errand import LENGTH, MODULE, READY, Errand
from firstlight.observe.process import Begun, Kept, Process, Start, popen
from firstlight.observe.source.beginning import notices_torch
from firstlight.observe.spec import Spec
from firstlight.observe.target import ENTRY, START, Target, launched
from firstlight.observe.watch import Means, environment_of

WARM_SECONDS = 60.0
FORK_SECONDS = 30.0
LEAVE_SECONDS = 2.0
PAUSE = 0.02


def warmable(target: Target) -> bool:
    """A script that Python itself runs; launchers start processes of their own."""
    return _at(target.command) is not None


def sharing(target: Target, program: Spec, means: Means, again: bool) -> contextlib.AbstractContextManager[Means]:
    """One import of torch for the program and for whatever is run of it again; not where the program would notice."""
    fits = again and sys.platform == "linux" and warmable(target) and not launched(target)
    if means.start is not popen or not fits or target.file is None or notices_torch(Path(target.file)):
        return contextlib.nullcontext(means)
    return _sharing(target, program, means)


@contextlib.contextmanager
def _sharing(target: Target, program: Spec, means: Means) -> Iterator[Means]:
    with shared(target, program, means.environment) as start:
        yield replace(means, start=start)


@contextlib.contextmanager
def shared(target: Target, program: Spec, users: Mapping[str, str]) -> Iterator[Start]:
    """Starts whatever is run of this target while it lasts: torch is imported once for all of it."""
    parent = WarmParent(target, program, users)

    def start(command: Sequence[str], environment: Mapping[str, str], cwd: str) -> Process:
        while not parent.settled():
            time.sleep(PAUSE)
        return parent.start(command, environment, cwd)

    try:
        yield start
    finally:
        parent.end()


def _at(command: Sequence[str]) -> int | None:
    """Where, in the command, the words stand that start a script under observation."""
    return next((at for at in range(len(command)) if tuple(command[at : at + len(START)]) == START), None)


class WarmParent:
    """Where it fails to get warm, processes are started the ordinary way."""

    def __init__(self, target: Target, program: Spec, users: Mapping[str, str]) -> None:
        at = _at(target.command)
        assert at is not None
        self._python = target.command[:at]
        self._until = time.monotonic() + WARM_SECONDS
        self._lock = threading.Lock()
        self._warm: bool | None = None
        self._files = contextlib.ExitStack()
        environment = self._files.enter_context(environment_of(target, program, users))
        self._channel, theirs = socket.socketpair()
        self._channel.settimeout(FORK_SECONDS)
        words = (*ENTRY, MODULE, str(theirs.fileno()))
        with theirs:
            self._process = subprocess.Popen(
                (*target.command[:at], *words, *target.command[at + len(START) :]),
                env=environment,
                cwd=program.cwd,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )

    def settled(self) -> bool:
        """Whether it is warm, or will never be."""
        if self._warm is None:
            readable, _, _ = select.select([self._channel], [], [], 0)
            if readable:
                self._warm = self._channel.recv(len(READY)) == READY
            elif time.monotonic() > self._until:
                self._warm = False
        return self._warm is not None

    def start(self, command: Sequence[str], environment: Mapping[str, str], cwd: str) -> Process:
        """Any script that the same interpreter runs with the same flags; others are started the ordinary way."""
        at = _at(command)
        if self._warm and at is not None and tuple(command[:at]) == self._python:
            words = tuple(command[at + len(START) :])
            try:
                with self._lock:
                    return _Forked(self._channel, Errand(dict(environment), cwd, words))
            except (OSError, ValueError):
                self._warm = False
                self._process.kill()  # what it may still fork would run beside what is started below
        return popen(command, environment, cwd)

    def end(self) -> None:
        """It leaves, with all its children, when nobody speaks to it any more; and is made to, if it does not."""
        self._channel.close()
        if not self._warm:
            self._process.kill()  # it may import for seconds before it listens
        try:
            self._process.wait(LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._files.close()


class _Forked(Kept):
    """A program forked by the warm parent, and its keeper."""

    def __init__(self, channel: socket.socket, errand: Errand) -> None:
        super().__init__(lambda lifeline, telling: _begun(channel, errand, lifeline, telling))


def _begun(channel: socket.socket, errand: Errand, lifeline: int, telling: int) -> Begun:
    output, theirs = os.pipe()
    answer, answering = os.pipe()
    with os.fdopen(answer, "rb", buffering=0) as answers:
        try:
            said = msgspec.json.encode(errand)
            socket.send_fds(channel, [LENGTH.pack(len(said))], [theirs, lifeline, telling, answering])
            channel.sendall(said)
        finally:
            os.close(theirs)
            os.close(answering)
        try:
            return _pid(answers), os.fdopen(output, "rb", buffering=0), lambda: -signal.SIGKILL
        except (OSError, ValueError):
            os.close(output)
            raise


def _pid(answers: IO[bytes]) -> int:
    """Of the keeper; raises where the warm parent is gone, or does not answer."""
    if not select.select([answers], [], [], FORK_SECONDS)[0]:
        raise TimeoutError("the warm parent does not answer")
    return int(answers.readline())
