"""Does many slow things side by side, with a line that tells how far it is, and stops cleanly when interrupted."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from zoo.running import end_all

Task = TypeVar("Task")
Result = TypeVar("Result")
SECONDS_BETWEEN_ENDS = 0.1
SECONDS_BETWEEN_LINES = 20.0
"""Where the progress goes to a file, a line that is rewritten would be noise."""


def side_by_side(
    tasks: Sequence[Task], work: Callable[[Task], Result], jobs: int, title: str
) -> Iterator[tuple[Task, Result]]:
    """Yields each task with its result as it is done. An interruption ends the processes that are running."""
    progress = Progress(title, len(tasks))
    pool = ThreadPoolExecutor(jobs)
    pending: dict[Future[Result], Task] = {}
    remaining = iter(tasks)
    try:
        _fill(pending, pool, work, remaining, jobs)
        while pending:
            done, _ = wait(pending, return_when=FIRST_COMPLETED)
            for future in done:
                task = pending.pop(future)
                progress.advance()
                yield task, future.result()
            _fill(pending, pool, work, remaining, jobs)
    finally:
        while wait(pending, timeout=SECONDS_BETWEEN_ENDS).not_done:
            end_all()  # again and again: a task may be about to start its next process
        pool.shutdown()
        progress.end()


def _fill(
    pending: dict[Future[Result], Task],
    pool: ThreadPoolExecutor,
    work: Callable[[Task], Result],
    remaining: Iterator[Task],
    jobs: int,
) -> None:
    while len(pending) < jobs:
        task = next(remaining, None)
        if task is None:
            return
        pending[pool.submit(work, task)] = task


class Progress:
    """One line on standard error: how many are done, and how long the rest may take."""

    def __init__(self, title: str, total: int) -> None:
        self._title, self._total = title, total
        self._done = 0
        self._begun = time.monotonic()
        self._last = float("-inf")

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\033[K{self._line(now)}")
        elif now - self._last >= SECONDS_BETWEEN_LINES or self._done == self._total:
            sys.stderr.write(f"{self._line(now)}\n")
            self._last = now
        sys.stderr.flush()

    def end(self) -> None:
        if sys.stderr.isatty() and self._done:
            sys.stderr.write("\n")

    def _line(self, now: float) -> str:
        left = (now - self._begun) / self._done * (self._total - self._done)
        return f"{self._title} {self._done}/{self._total} · about {left / 60:.1f} min left"
