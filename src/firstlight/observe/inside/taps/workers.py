"""Loader workers: the random streams each begins with, and which of them its first examples draw from.

Each worker gets a copy of the data set. A generator kept in it is then the same in all of them, and so is a global one
that `worker_init_fn` seeds with a constant.
"""

import contextlib
import functools
import hashlib
import inspect
import os
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils.data import _utils

from firstlight.observe.inside.observer import Observer
from firstlight.records.feed import WorkerSeen

MOST_WORKERS = 16
MOST_DEPTH = 3
INITIALISER = "init_fn"


class Workers:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._before: dict[str, str] = {}

    def begins(self, worker: int) -> None:
        """In the worker, once it is seeded: from here on its first fetch is looked at."""
        info = torch.utils.data.get_worker_info()
        if info is None or worker >= MOST_WORKERS:
            return
        self._before = dict(streams(info.dataset))
        for kind in (_utils.fetch._MapDatasetFetcher, _utils.fetch._IterableDatasetFetcher):
            self._watch(kind, info)

    def _watch(self, kind: Any, info: Any) -> None:
        original = kind.fetch

        def fetch(fetcher: Any, indices: Any) -> Any:
            kind.fetch = original
            found = original(fetcher, indices)
            quietly(self.fetched, info)
            return found

        kind.fetch = fetch

    def fetched(self, info: Any) -> None:
        after = dict(streams(info.dataset))
        used = tuple(name for name, state in self._before.items() if after.get(name) != state)
        self.observer.emit(
            WorkerSeen(
                loader=os.getppid(),
                worker=info.id,
                workers=info.num_workers,
                seed=info.seed - info.id,
                dataset=type(info.dataset).__name__,
                streams={name: state for name, state in self._before.items() if name in used},
            )
        )


def streams(dataset: Any) -> Iterator[tuple[str, str]]:
    """The state of every generator in reach, by name."""
    yield "`random`", _digest(random.getstate())
    yield "`torch`", _digest(torch.get_rng_state().tolist())
    if (numpy := sys.modules.get("numpy")) is not None:
        yield "`numpy.random`", _digest(numpy.random.get_state(legacy=False))
    yield from _held(dataset, "the data set", 0, set())


def _held(owner: Any, path: str, depth: int, seen: set[int]) -> Iterator[tuple[str, str]]:
    if depth > MOST_DEPTH or id(owner) in seen:
        return
    seen.add(id(owner))
    for name, value in list(getattr(owner, "__dict__", {}).items()):
        where = f"`{name}` of {path}"
        if isinstance(value, random.Random):
            yield where, _digest(value.getstate())
        elif isinstance(value, torch.Generator):
            yield where, _digest(value.get_state().tolist())
        elif type(value).__module__.startswith("numpy.random") and hasattr(value, "bit_generator"):
            yield where, _digest(value.bit_generator.state)
        elif type(value).__module__.startswith("numpy.random") and hasattr(value, "get_state"):
            yield where, _digest(value.get_state(legacy=False))
        elif hasattr(value, "__dict__") and not isinstance(value, type | torch.nn.Module | torch.Tensor):
            yield from _held(value, where, depth + 1, seen)


def _digest(state: Any) -> str:
    return hashlib.blake2b(repr(_plain(state)).encode(), digest_size=8).hexdigest()


def _plain(state: Any) -> Any:
    """Long arrays print in part."""
    if isinstance(state, dict):
        return {key: _plain(value) for key, value in state.items()}
    return state.tolist() if hasattr(state, "tolist") else state


def quietly(function: Callable[..., None], *arguments: Any) -> None:
    """A worker must not notice us."""
    with contextlib.suppress(Exception):
        function(*arguments)


def install(observer: Observer) -> None:
    workers = Workers(observer)
    original: Any = _utils.worker._worker_loop
    position = list(inspect.signature(original).parameters).index(INITIALISER)

    @functools.wraps(original)
    def loop(*arguments: Any) -> None:
        given = arguments[position]

        def initialise(worker: int) -> None:
            if given is not None:
                given(worker)
            quietly(workers.begins, worker)

        original(*arguments[:position], initialise, *arguments[position + 1 :])

    loops: Any = _utils.worker
    loops._worker_loop = loop
