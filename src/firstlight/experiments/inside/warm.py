"""The warm parent: a process that has torch imported and has done nothing with it, from which fresh runs are forked.

`python -m _firstlight_entry firstlight.experiments.inside.warm CHANNEL SCRIPT ARGS`, with the interpreter and flags of
the script's own. Errands come over the channel, a socket. What is forked for one runs the script from its first line,
as `observe.inside.start` does; torch's import, and what torch itself imports when an optimizer is built, are saved.
"""

import contextlib
import gc
import importlib
import multiprocessing.process
import os
import select
import socket
import sys
import tempfile
from pathlib import Path

import msgspec

from firstlight.experiments.inside.errand import DESCRIPTORS, LENGTH, READY, Errand
from firstlight.experiments.inside.forking import fork
from firstlight.observe.inside import keeper, start

MODULES = ("torch", "numpy", "torch._dynamo")
"""What nearly every training script imports, by itself or by building an optimizer. None of them touches a device."""
OURS = (
    "firstlight.observe.inside.taps",
    "firstlight.experiments.inside.fresh",
    "firstlight.experiments.inside.nudging",
    "firstlight.experiments.inside.nursery",
    "firstlight.experiments.inside.rehearsal",
    "firstlight.experiments.inside.shortening.prelude",
)
"""What the observer of a program imports: nothing of it looks around before it is installed."""
PAUSE_SECONDS = 0.02


class Parent:
    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.children: set[int] = set()

    def serve(self) -> Errand:
        """Returns only in a child, with what it is to do."""
        while True:
            self._reap()
            readable, _, _ = select.select([self.channel], [], [], PAUSE_SECONDS if self.children else None)
            if not readable:
                continue
            length, descriptors, _, _ = socket.recv_fds(self.channel, LENGTH.size, DESCRIPTORS)
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

    def _fork(self, output: int, lifeline: int, status: int, answering: int) -> bool:
        """True in the program alone, which prints to `output`; its keeper leads a session of its own."""
        pid = fork()
        if pid:
            os.write(answering, b"%d\n" % pid)
            for descriptor in (output, lifeline, status, answering):
                os.close(descriptor)
            self.children.add(pid)
            return False
        os.setsid()
        self.channel.close()
        os.close(answering)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        keeper.keep(lifeline, status)
        return True

    def _reap(self) -> None:
        for child in list(self.children):
            if os.waitpid(child, os.WNOHANG)[0]:
                self.children.remove(child)

    def _leave(self) -> None:
        """Nobody asks any more. Whoever asked also holds the lifelines of what was forked."""
        os._exit(0)


def main() -> None:
    channel = socket.socket(fileno=int(sys.argv[1]))
    here = sys.path.pop(0)  # what lies beside the script is the script's to import
    for name in (*MODULES, *OURS):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    sys.path.insert(0, here)
    if touched_device() or stood_in_for(Path.cwd(), Path(sys.argv[2]).parent):
        return  # a child could not use what this process has opened, or would have imported another module
    gc.collect()
    gc.freeze()  # what is here stays: no child has to look through it, and copy its pages, to find what can go
    channel.sendall(READY)
    errand = Parent(channel).serve()
    os.environ.clear()
    os.environ.update(errand.environment)
    os.chdir(errand.cwd)
    tempfile.tempdir = None  # its place comes from the environment
    vars(multiprocessing.process)["ORIGINAL_DIR"] = errand.cwd  # where spawned processes look for the script
    sys.argv[1:] = errand.words
    start.main()


def touched_device() -> bool:
    """Whether some module opened a GPU when it was imported."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return True
    opened = Path("/proc/self/fd")
    return opened.is_dir() and any(str(path.resolve()).startswith("/dev/nvidia") for path in opened.iterdir())


def stood_in_for(*folders: Path) -> bool:
    """Whether a module of the user's has the name of one that is imported here, and would come before it."""
    imported = {name.partition(".")[0] for name in sys.modules}
    beside = [path for folder in folders for pattern in ("*.py", "*/__init__.py") for path in folder.glob(pattern)]
    return any((path.parent.name if path.name == "__init__.py" else path.stem) in imported for path in beside)
