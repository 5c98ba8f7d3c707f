"""Calls of models that raise, in programs that go on regardless."""

from collections import Counter

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Call
from firstlight.records.failing import Failing
from firstlight.records.places import Site

TOLD = (3, 10, 30, 100, 300, 1000, 3000)
"""Failures after which the count is told, so that a program that is ended early has one."""


class Failures:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._returned: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._first: dict[str, tuple[str, Site | None]] = {}

    def returned(self, call: Call) -> None:
        self._returned[type(call.module).__name__] += call.training

    def failed(self, module: torch.nn.Module, error: BaseException) -> None:
        """Of a call in training. An exit is no failure."""
        if not isinstance(error, Exception):
            return
        name = type(module).__name__
        self._failed[name] += 1
        self._first.setdefault(name, (f"{type(error).__name__}: {error}"[:200], sites.caller()))
        if self._failed[name] in TOLD:
            self._tell(name)

    def tell(self) -> None:
        for name in self._failed:
            self._tell(name)

    def _tell(self, name: str) -> None:
        error, site = self._first[name]
        self.observer.emit(
            Failing(module=name, site=site, failed=self._failed[name], returned=self._returned[name], error=error)
        )


def install(observer: Observer) -> None:
    failures = Failures(observer)
    observer.moments.model_returned.append(observer.shielded("failures", failures.returned))
    observer.moments.model_failed.append(observer.shielded("failures", failures.failed))
    observer.moments.milestone.append(observer.shielded("failures", failures.tell))
