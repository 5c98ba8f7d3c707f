"""The warm parent: a process that has torch imported and has done nothing with it, from which fresh runs are forked.

`python -m _firstlight_entry firstlight.experiments.inside.warm CHANNEL SCRIPT ARGS`, with the interpreter and flags of
the script's own. Errands come over the channel, a socket. What is forked for one runs the script from its first line,
as `observe.inside.start` does; torch's import, and what torch itself imports when an optimizer is built, are saved.
"""

import contextlib
import importlib
import multiprocessing.process
import os
import select
import signal
import socket
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec

from firstlight.experiments.inside.errand import LENGTH, READY, Errand
from firstlight.experiments.inside.forking import fork
from firstlight.observe.inside import start

MODULES = ("torch", "numpy", "torch._dynamo")
"""What nearly every training script imports, by itself or by building an optimizer. None of them touches a device."""
PAUSE_SECONDS = 0.02


@dataclass(frozen=True)
class Child:
    pid: int
    status: int
    """Descriptor to which its exit code is told."""


class Parent:
    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.children: list[Child] = []

    def serve(self) -> Errand:
        """Returns only in a child, with what it is to do."""
        while True:
            self._reap()
            readable, _, _ = select.select([self.channel], [], [], PAUSE_SECONDS if self.children else None)
            if not readable:
                continue
            length, descriptors, _, _ = socket.recv_fds(self.channel, LENGTH.size, 2)
            if not length:
                self._leave()
            errand = msgspec.json.decode(self._rest(LENGTH.unpack(length)[0]), type=Errand)
            if self._fork(*descriptors):
                return errand

    def _rest(self, length: int) -> bytes:
        found = b""
        while len(found) < length and (part := self.channel.recv(length - len(found))):
            found += part
        return found

    def _fork(self, output: int, status: int) -> bool:
        """True in the child, which leads a session of its own, prints to `output` and dies with its parent."""
        parent = os.getpid()
        pid = fork()
        if pid:
            os.close(output)
            os.write(status, b"%d\n" % pid)
            self.children.append(Child(pid, status))
            return False
        os.setsid()
        start.end_with(parent)
        os.dup2(output, 1)
        os.dup2(output, 2)
        for descriptor in (output, status, *(child.status for child in self.children)):
            os.close(descriptor)
        self.channel.close()
        return True

    def _reap(self) -> None:
        for child in list(self.children):
            found, code = os.waitpid(child.pid, os.WNOHANG)
            if found:
                self.children.remove(child)
                with contextlib.suppress(BrokenPipeError):
                    os.write(child.status, b"%d\n" % os.waitstatus_to_exitcode(code))
                os.close(child.status)

    def _leave(self) -> None:
        """Nobody asks any more."""
        for child in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
        os._exit(0)


def main() -> None:
    channel = socket.socket(fileno=int(sys.argv[1]))
    for name in MODULES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    if touched_device():
        return  # a child could not use what this process has opened
    channel.sendall(READY)
    errand = Parent(channel).serve()
    os.environ.clear()
    os.environ.update(errand.environment)
    os.chdir(errand.cwd)
    tempfile.tempdir = None  # its place comes from the environment
    vars(multiprocessing.process)["ORIGINAL_DIR"] = errand.cwd  # where spawned processes look for the script
    del sys.argv[1]
    start.main()


def touched_device() -> bool:
    """Whether some module opened a GPU when it was imported."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return True
    opened = Path("/proc/self/fd")
    return opened.is_dir() and any(str(path.resolve()).startswith("/dev/nvidia") for path in opened.iterdir())
