"""Jobs done on this machine, each in a process of its own, forked from a warm parent where that is possible."""

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor

from firstlight.experiments.engines.job import Job, Made, lost, make
from firstlight.experiments.engines.warm import WarmParent, warmable
from firstlight.observe.inside import cores
from firstlight.observe.process import Start, popen
from firstlight.observe.spec import Spec
from firstlight.observe.target import Target


class LocalHands:
    """One thread waits for each process, and ends it when told to."""

    name = "fresh"

    def __init__(self, target: Target, program: Spec, start: Start | None = None) -> None:
        """Without `start`, from a warm parent of its own."""
        self._target, self._program, self._start = target, program, start or popen
        self._is_warmable = start is None and warmable(target)
        self._warm: WarmParent | None = None
        self._dropped = threading.Event()
        self._pool = ThreadPoolExecutor(cores.usable(), thread_name_prefix="timeline")

    def ready(self) -> bool:
        if self._is_warmable and self._warm is None:
            self._warm = WarmParent(self._target, self._program, os.environ)
        return self._warm is None or self._warm.settled()

    def begin(self, job: Job) -> "Future[Made]":
        start = self._start if self._warm is None else self._warm.start
        return self._pool.submit(make, job, start, self._dropped.is_set)

    def made(self, token: "Future[Made]") -> Made | None:
        if not token.done():
            return None
        error = token.exception()
        return token.result() if error is None else lost(error)

    def end(self) -> None:
        self._dropped.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._warm is not None:
            self._warm.end()
            self._warm = None
