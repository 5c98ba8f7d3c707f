"""A warm parent seen from outside: started once, asked for a process whenever one is needed."""

import contextlib
import os
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO

import msgspec

from firstlight.experiments.inside.errand import LENGTH, MODULE, READY, Errand
from firstlight.observe.process import Process, popen
from firstlight.observe.spec import Spec
from firstlight.observe.target import ENTRY, START, Target
from firstlight.observe.watch import environment_of

WARM_SECONDS = 60.0
FORK_SECONDS = 30.0
LEAVE_SECONDS = 2.0


def warmable(target: Target) -> bool:
    """A script that Python itself runs; launchers start processes of their own."""
    return _at(target) is not None


def _at(target: Target) -> int | None:
    """Where, in the command, the words stand that start a script under observation."""
    places = range(len(target.command))
    return next((at for at in places if target.command[at : at + len(START)] == START), None)


class WarmParent:
    """Where it fails to get warm, processes are started the ordinary way."""

    def __init__(self, target: Target, program: Spec, users: Mapping[str, str]) -> None:
        at = _at(target)
        assert at is not None
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
        if self._warm:
            try:
                with self._lock:
                    return _Forked(self._channel, Errand(dict(environment), cwd))
            except (OSError, ValueError):
                self._warm = False
                self._process.kill()  # what it may still fork would run beside what is started below
        return popen(command, environment, cwd)

    def end(self) -> None:
        """It leaves, with all its children, when nobody speaks to it any more; and is made to, if it does not."""
        self._channel.close()
        try:
            self._process.wait(LEAVE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._files.close()


class _Forked:
    """A child of the warm parent, as a process to us: its exit code is told rather than waited for."""

    def __init__(self, channel: socket.socket, errand: Errand) -> None:
        output, theirs = os.pipe()
        status, told = os.pipe()
        self.stdout: IO[bytes] | None = os.fdopen(output, "rb", buffering=0)
        self._status = os.fdopen(status, "rb", buffering=0)
        self._code: int | None = None
        try:
            self._send(channel, msgspec.json.encode(errand), theirs, told)
            self.pid = int(self._line(FORK_SECONDS))
        except (OSError, ValueError):
            self.stdout.close()
            self._status.close()
            raise

    def _send(self, channel: socket.socket, said: bytes, *descriptors: int) -> None:
        try:
            socket.send_fds(channel, [LENGTH.pack(len(said))], descriptors)
            channel.sendall(said)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _line(self, seconds: float) -> bytes:
        """Empty where the warm parent is gone."""
        readable, _, _ = select.select([self._status], [], [], seconds)
        if not readable:
            raise TimeoutError("the warm parent does not answer")
        return self._status.readline()

    def poll(self) -> int | None:
        if self._code is None:
            with contextlib.suppress(TimeoutError):
                self._code = int(self._line(0) or -signal.SIGKILL)
        return self._code

    def wait(self) -> int:
        """Called after it was killed: what does not answer then is as good as gone."""
        until = time.monotonic() + LEAVE_SECONDS
        while (code := self.poll()) is None and time.monotonic() < until:
            time.sleep(0.02)
        self._status.close()
        self._code = -signal.SIGKILL if code is None else code
        return self._code
