"""Nothing a checked script starts outlives the command that checks it, however that ends.

The process that was started forks: its child becomes the script, and it stays behind as the keeper. On Linux orphans
of the script, daemons too, become children of the keeper. It reads a pipe, the lifeline, whose other end the command
alone holds: when that is closed, by choice or because the command was killed, the keeper ends whatever is left and
leaves. There is no moment in between: a lifeline that broke before the keeper was ready is found broken.
"""

import contextlib
import os
import select
import signal
import sys
import time

from firstlight.observe.inside.floor import kernel

VARIABLE = "FIRSTLIGHT_KEEPER"
"""Descriptors of the lifeline, and of the pipe to which the script's exit code is told."""
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
MOST_SECONDS = 5.0
PAUSE_SECONDS = 0.01


def keep_by_environment() -> None:
    """Returns in the script's process; at once where nobody asked for a keeper."""
    if words := os.environ.pop(VARIABLE, None):
        lifeline, status = map(int, words.split(","))
        keep(lifeline, status)


def keep(lifeline: int, status: int) -> None:
    """Forks; returns in the child alone."""
    keeper = os.getpid()
    if sys.platform == "linux":
        kernel.prctl(PR_SET_CHILD_SUBREAPER, 1)
    child = os.fork()
    if child == 0:
        end_with(keeper)
        os.close(lifeline)
        os.close(status)
        return
    try:
        _stay(child, lifeline, status)
    finally:
        os._exit(0)


def end_with(parent: int) -> None:
    """Linux: be killed when the process that made this one dies, or now if it is dead already."""
    if sys.platform == "linux":
        kernel.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def _stay(child: int, lifeline: int, status: int) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    woken, wakes = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    while True:
        code = _reap(child)
        if code is not None:
            with contextlib.suppress(OSError):
                os.write(status, b"%d\n" % code)
        ready, _, _ = select.select([lifeline, woken], [], [])
        if lifeline in ready:
            break
        with contextlib.suppress(BlockingIOError):
            os.read(woken, 1 << 12)
    _end_descendants()


def _reap(child: int) -> int | None:
    """Everything that ended; the exit code of `child` if it is among it."""
    code = None
    with contextlib.suppress(ChildProcessError):
        while (found := os.waitpid(-1, os.WNOHANG))[0]:
            code = os.waitstatus_to_exitcode(found[1]) if found[0] == child else code
    return code


def _end_descendants() -> None:
    """Again and again: one that is being killed may just have started another."""
    until = time.monotonic() + MOST_SECONDS
    while time.monotonic() < until:
        _reap(0)
        alive = descendants(os.getpid())
        if not alive:
            return
        for pid in alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(PAUSE_SECONDS)


def descendants(ancestor: int) -> list[int]:
    """Without `/proc`, only the process group is known, and is ended by the command."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{int(name)}/stat", "rb") as file:
                parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found, waiting = [], [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found
