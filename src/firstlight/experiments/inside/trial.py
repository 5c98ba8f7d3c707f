"""In a whole run of the program: hears the numbers it tells, and says them when it ends."""

import atexit
import math
import multiprocessing.util
import os
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import torch

from firstlight.experiments.inside import ablations, digests, seeding, tracked
from firstlight.experiments.inside.seclusion import stay_eager
from firstlight.experiments.plan import ORDER, Order
from firstlight.observe.inside.observer import Observer
from firstlight.records.training import BackwardSeen
from firstlight.records.trials import TrialSeen

MOST_LOSSES = 32
PLAIN = ("seed", "threads")
"""Words of an order that lie in nothing compiled code could pass by."""


class TrialListener:
    """Of all that is observed only the losses are kept: a long run would fill the log with its steps."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.numbers = tracked.Numbers()
        self.losses: deque[float] = deque(maxlen=MOST_LOSSES)
        self.parts: Callable[[], tuple[str, ...]] = tuple
        self.last_words: list[Callable[[], None]] = []
        self._told, self._home = False, os.getpid()
        self._emit = observer.emit

    def hear(self, record: Any) -> None:
        if isinstance(record, BackwardSeen):
            self.losses.append(record.value)

    def tell(self) -> None:
        if self._told or os.getpid() != self._home:
            return
        self._told = True
        for say in self.last_words:
            say()
        self._emit(
            TrialSeen(
                tracked=self.numbers.seen(),
                losses=tuple(self.losses) if any(map(math.isfinite, self.losses)) else (),
                steps=self.observer.step,
                seeded=seeding.seeded(),
                parts=self.parts(),
            )
        )


def install(observer: Observer) -> None:
    order = msgspec.json.decode((Path(observer.spec.run) / ORDER).read_bytes(), type=Order)
    seeding.begin(observer.spec)
    observer.spec = msgspec.structs.replace(observer.spec, steps=sys.maxsize, seconds=math.inf)
    observer.light = True
    listener = TrialListener(observer)
    tracked.follow(listener.numbers)
    words = dict(word.partition("=")[::2] for word in order.interventions)
    if "threads" in words:
        torch.set_num_threads(int(words["threads"]))
    if not words.keys() <= set(PLAIN):
        stay_eager()
    if "digest" in words:
        listener.last_words.append(digests.follow(observer).tell)
    if "survey" in words:
        listener.parts = ablations.PartSurvey(observer).parts
    for word in order.interventions:
        if word.startswith("off="):
            ablations.switch_off(observer, word.removeprefix("off="))
    observer.emit = listener.hear  # type: ignore[method-assign]
    observer.stop = lambda reason: None  # type: ignore[method-assign]  # the run ends when the program does
    atexit.register(listener.tell)
    multiprocessing.util.Finalize(None, listener.tell, exitpriority=5)
