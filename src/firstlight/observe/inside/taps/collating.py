"""Collate functions of the program's own: what they are given is looked for in what they make of it."""

import functools
import inspect
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import _utils

from firstlight.observe.inside import sites
from firstlight.observe.inside.collating import torn
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.taps.workers import quietly
from firstlight.records.feed import CollateSeen
from firstlight.records.places import Site

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

MOST_BATCHES = 4
"""Of one function, in each process."""


class Collating:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self._looked: Counter[Site] = Counter()

    def watch(self, fetcher: Any) -> None:
        collate = fetcher.collate_fn
        site = site_of_function(collate)
        if site is None:
            return

        def watched(items: Any) -> Any:
            kept = list(items) if isinstance(items, list) else items
            batch = collate(items)
            if self._looked[site] < MOST_BATCHES:
                self._looked[site] += 1
                quietly(self._look, site, kept, batch)
            return batch

        fetcher.collate_fn = watched

    def _look(self, site: Site, items: Any, batch: Any) -> None:
        with self.observer.quiet(), torch.no_grad():
            found = torn(items, batch)
        if found is not None:
            self.observer.emit(
                CollateSeen(
                    step=self.observer.step,
                    rank=rank(),
                    site=site,
                    what=found.what,
                    first=found.first,
                    second=found.second,
                    torn=found.items,
                    items=len(items),
                )
            )


def site_of_function(function: Any) -> Site | None:
    """Where a function of the program is written, itself or that of an object that can be called."""
    while isinstance(function, functools.partial):
        function = function.func
    function = function if inspect.isroutine(function) else type(function).__call__
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None or (found := sites.site_of(code.co_filename, code.co_firstlineno)) is None:
        return None
    return Site(file=found.file, line=found.line, function=code.co_name)


def install(observer: "Observer") -> None:
    """Fetchers are made in the process that reads, be it a worker."""
    collating = Collating(observer)
    kind: Any = _utils.fetch._BaseDatasetFetcher
    original = kind.__init__

    @functools.wraps(original)
    def begin(self: Any, *arguments: Any, **keywords: Any) -> None:
        original(self, *arguments, **keywords)
        if getattr(self, "auto_collation", False):
            quietly(collating.watch, self)

    kind.__init__ = begin
