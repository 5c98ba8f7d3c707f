"""A long log is summarised by several processes, ahead of the one that puts the summaries in order.

They read the file by themselves: nothing but places in it and summaries goes between the processes.
"""

import multiprocessing
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import BinaryIO

from firstlight.observe.inside import cores
from firstlight.observe.log.stretches import Stretch
from firstlight.observe.log.summary import Known, Summarizer, Summary
from firstlight.records.log import LogRules

LONG = 64 << 20
"""Bytes from which on several processes are worth their start."""
MOST_PROCESSES = 8
ROUNDS = 3
"""Stretches under way for each process."""


class _Worker:
    """What a process of the pool keeps."""

    descriptor: int
    rules: LogRules
    known: Known = ("", ())
    summarizer: Summarizer


def ahead(
    stretches: Iterable[Stretch], file: BinaryIO, rules: LogRules, known: Callable[[], Known]
) -> Iterator[tuple[Stretch, Summary | None]]:
    """Each stretch, in order, with its summary where another process made one."""
    processes = min(cores.usable(), MOST_PROCESSES)
    if processes < 2 or not _is_long(file):
        yield from ((stretch, None) for stretch in stretches)
        return
    context = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(processes, context, _begin, (file.fileno(), rules)) as pool:
        waiting: deque[tuple[Stretch, Future[Summary | None] | None]] = deque()
        for stretch in stretches:
            waiting.append((stretch, _submitted(pool, stretch, known())))
            if len(waiting) > processes * ROUNDS:
                yield _resolved(*waiting.popleft())
        while waiting:
            yield _resolved(*waiting.popleft())


def _is_long(file: BinaryIO) -> bool:
    about = os.fstat(file.fileno())
    return stat.S_ISREG(about.st_mode) and about.st_size >= LONG


def _submitted(pool: ProcessPoolExecutor, stretch: Stretch, known: Known) -> "Future[Summary | None] | None":
    if not known[1] or not stretch.complete or not stretch.data:
        return None
    try:
        return pool.submit(_summary, stretch.offset, len(stretch.data), stretch.lines, known)
    except BrokenProcessPool:
        return None


def _resolved(stretch: Stretch, future: "Future[Summary | None] | None") -> tuple[Stretch, Summary | None]:
    """A process that was killed costs its help, no more."""
    try:
        return stretch, None if future is None else future.result()
    except BrokenProcessPool:
        return stretch, None


def _begin(descriptor: int, rules: LogRules) -> None:
    _Worker.descriptor, _Worker.rules = descriptor, rules


def _summary(offset: int, length: int, lines: int, known: Known) -> Summary | None:
    if known != _Worker.known:
        _Worker.known, _Worker.summarizer = known, Summarizer(_Worker.rules, known)
    return _Worker.summarizer(os.pread(_Worker.descriptor, length, offset), lines)
