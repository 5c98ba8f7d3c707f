"""The script's process: started in a group of its own, watched, and never left behind."""

import functools
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Protocol

import psutil

from firstlight.observe.inside import keeper

KEPT_BYTES = 4 << 20
TAIL_BYTES = 64 << 10
GRACE_SECONDS = 1.0
LEAVE_SECONDS = 8.0


class Output:
    """What the script prints: kept in a file up to a size, and its end always."""

    def __init__(self, path: Path, stream: IO[bytes], echo: IO[bytes] | None) -> None:
        self._path, self._stream, self._echo = path, stream, echo
        self._tail = bytearray()
        self.total = 0
        self._thread = threading.Thread(target=self._read, name="output", daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with self._stream, self._path.open("wb") as file:
            while chunk := os.read(self._stream.fileno(), 1 << 16):
                if self.total < KEPT_BYTES:
                    file.write(chunk[: KEPT_BYTES - self.total])
                    file.flush()
                self.total += len(chunk)
                self._tail += chunk
                del self._tail[:-TAIL_BYTES]
                if self._echo is not None:
                    self._echo.write(chunk)
                    self._echo.flush()
            if self.total > KEPT_BYTES:
                missing = max(0, self.total - KEPT_BYTES - len(self._tail))
                file.write(f"\n… {missing} bytes left out …\n".encode())
                file.write(bytes(self._tail[-(self.total - KEPT_BYTES) :]))

    def lines(self) -> list[str]:
        """The last lines, as far as they are kept."""
        self._thread.join(timeout=GRACE_SECONDS)
        return bytes(self._tail).decode("utf-8", "replace").splitlines()


class Process(Protocol):
    """What is needed of a process, whoever its parent is. It leads a session of its own."""

    pid: int

    @property
    def stdout(self) -> IO[bytes] | None:
        """Everything it prints."""

    def poll(self) -> int | None:
        """The exit code once it is over; negative for a signal."""

    def leave(self) -> int:
        """Ends whatever is left of it, wherever that has gone, and tells its exit code."""


Start = Callable[[Sequence[str], Mapping[str, str], str], Process]
"""Starts a command with this environment in this directory."""


Begun = tuple[int, IO[bytes] | None, Callable[[], int]]
"""Process id of the keeper, what the program prints, and what waits for the keeper's end and answers its exit code."""


class Kept:
    """A program with its keeper, seen from outside: its exit code is told, and it ends when its lifeline is cut."""

    def __init__(self, begin: Callable[[int, int], Begun]) -> None:
        """`begin` is given the keeper's ends of its two pipes."""
        theirs, self._lifeline = os.pipe()
        told, telling = os.pipe()
        self._told = os.fdopen(told, "rb", buffering=0)
        self._code: int | None = None
        try:
            self.pid, self.stdout, self._reaped = begin(theirs, telling)
        except BaseException:
            os.close(self._lifeline)
            self._told.close()
            raise
        finally:
            os.close(theirs)
            os.close(telling)

    def poll(self) -> int | None:
        if self._code is None and select.select([self._told], [], [], 0)[0]:
            self._code = int(self._told.readline() or self._reaped())
        return self._code

    def leave(self) -> int:
        """What does not answer in time is as good as gone."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
            while select.select([self._told], [], [], LEAVE_SECONDS)[0] and (line := self._told.readline()):
                self._code = int(line)
            reaped = self._reaped()
            self._code = reaped if self._code is None else self._code
            self._told.close()
        assert self._code is not None
        return self._code


def popen(command: Sequence[str], environment: Mapping[str, str], cwd: str) -> Process:
    def begin(lifeline: int, telling: int) -> Begun:
        process = subprocess.Popen(
            command,
            env={**environment, keeper.VARIABLE: f"{lifeline},{telling}"},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=(lifeline, telling),
        )
        return process.pid, process.stdout, functools.partial(_reaped, process)

    return Kept(begin)


def _reaped(process: "subprocess.Popen[bytes]") -> int:
    """The code of the keeper itself: its program's where it ended before there was a keeper."""
    try:
        code = process.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    return code or -signal.SIGKILL


class Script:
    """A running script. Every wait has an end; `end` kills whatever it started."""

    def __init__(self, process: Process, log: Path, echo: IO[bytes] | None) -> None:
        self.begun = time.monotonic()
        self._process = process
        assert process.stdout is not None
        self.output = Output(log, process.stdout, echo)
        self._family: dict[int, psutil.Process] = {}
        self._counted = 0.0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.begun

    def poll(self) -> int | None:
        """The exit code once it is over; negative for a signal."""
        if time.monotonic() - self._counted > 1.0:
            self._counted = time.monotonic()
            self._remember_children()
        return self._process.poll()

    def _remember_children(self) -> None:
        """Children in sessions of their own escape a group signal; they are killed one by one."""
        try:
            found = psutil.Process(self._process.pid).children(recursive=True)
        except psutil.Error:
            return
        self._family.update({child.pid: child for child in found})

    def wait(self, until: Callable[[], bool], pause: float = 0.05) -> int | None:
        """Waits for the end of the script or for `until`."""
        while (code := self.poll()) is None and not until():
            time.sleep(pause)
        return code

    def end(self) -> None:
        """Idempotent. After it, no process of the script is left."""
        self._remember_children()
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        while self._process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        self._remember_children()
        self._process.leave()
        self._signal(signal.SIGKILL)
        for child in self._family.values():
            try:
                child.kill()
            except psutil.Error:
                continue

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return
