"""Questions put to a copy of the process. The program itself never notices: the copy prints nothing, and ends."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import torch

from firstlight.observe.inside.observer import Observer, world

SECONDS = 2
"""Of computing; on a busy machine it is waited for longer."""
MOST_WAITED, MOST_STARVED = 6, 40
"""Of the clock: a copy that then still computes has not been given its seconds yet."""
PAUSE = 0.01
MOST_BYTES = 1 << 15
"""Of an answer: what a pipe holds while nobody reads it."""


def asked(observer: Observer, question: Callable[[], bytes]) -> bytes:
    """What a copy answers; nothing where none can be made, or it takes too long."""
    if not _may_fork(observer):
        return b""
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            _answer(question, writer)
        finally:
            os._exit(0)
    os.close(writer)
    _wait(pid)
    with os.fdopen(reader, "rb") as pipe:
        return pipe.read()


def _answer(question: Callable[[], bytes], writer: int) -> None:
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)
    torch.set_num_threads(1)  # a copy has none of the threads, and what they computed counts against its seconds
    answer = question()
    if len(answer) <= MOST_BYTES:
        os.write(writer, answer)


def _may_fork(observer: Observer) -> bool:
    main = threading.current_thread() is threading.main_thread()
    return main and world() == 1 and not torch.cuda.is_initialized() and observer.spec.owner != os.getpid()


def _wait(pid: int) -> None:
    begun = time.monotonic()
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        waited = time.monotonic() - begun
        if waited > MOST_STARVED or (waited > MOST_WAITED and not _computes(pid)):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(PAUSE)


def _computes(pid: int) -> bool:
    """It has a core, or stands in line for one."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "R"
    except (OSError, IndexError):
        return False
