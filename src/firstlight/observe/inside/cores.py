"""How many cores a program may use, and its clock: how long it has trained, and how much of that it had none.

On a busy machine the last is nobody's fault, and not counted against the program.
"""

import os
import time
from pathlib import Path

NANOSECONDS = 1e9
ACCOUNT = Path("/proc/thread-self/schedstat")
"""Time on a core, time waited for one, and how often it was given one. Only Linux keeps it."""


def usable() -> int:
    """Those that this process may run on: in a container or under `taskset` fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Clock:
    def __init__(self) -> None:
        self._begun: float | None = None
        self._waited = 0.0

    def begin(self) -> None:
        """The first time counts."""
        if self._begun is None:
            self._begun, self._waited = time.monotonic(), waited()

    @property
    def seconds(self) -> float:
        return 0.0 if self._begun is None else time.monotonic() - self._begun

    def running(self, most: float) -> float:
        """Seconds without those waited for a core; at least one in `most` counts."""
        return max(self.seconds - (waited() - self._waited), self.seconds / most)


def waited() -> float:
    """Seconds in which this thread was ready to run and had no core; 0 where the kernel does not tell."""
    try:
        return int(ACCOUNT.read_text("ascii").split()[1]) / NANOSECONDS
    except (OSError, ValueError, IndexError):
        return 0.0
