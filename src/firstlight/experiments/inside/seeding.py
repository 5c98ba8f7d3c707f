"""Which random numbers a run draws: another seed than the program's own, or another one for one source alone.

The program's calls of `manual_seed` and the like are shifted by a number that is the run's, so that a script which
fixes its seed can be run with others. Generators of their own (`torch.Generator`, `default_rng`) are left as they are:
a split that is drawn from one stays the same split.
"""

import functools
import os
import random
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from firstlight.experiments.plan import ORDER, Order
from firstlight.observe import spec as session
from firstlight.observe.inside.imports import when_imported

STRIDE = 1_000_003
MOST = 1 << 32
DATA, INIT, ORDERING, DROPOUT = "data", "init", "order", "dropout"
SOURCES = (INIT, ORDERING, DROPOUT, DATA)

_seeded: list[str] = []
_begun: list[int] = []


def begin(spec: session.Spec) -> None:
    """Before the first line of the script, or once torch is imported, whichever comes first in this process."""
    if os.getpid() in _begun:
        return
    _begun.append(os.getpid())
    order = msgspec.json.decode((Path(spec.run) / ORDER).read_bytes(), type=Order)
    words = [word.partition("=")[::2] for word in order.interventions]
    shift(int(dict(words).get("seed", "0")))
    varied = [value for name, value in words if name == "vary"]
    if varied:
        streams = Streams(dict(_varied(word) for word in varied))
        when_imported("torch", lambda torch: separate(torch, streams))


def _varied(word: str) -> tuple[str, int]:
    name, _, seed = word.partition(":")
    return name, int(seed)


def seeded() -> tuple[str, ...]:
    """The functions by which the program seeded itself, in the order of their first calls."""
    return tuple(dict.fromkeys(_seeded))


def shift(offset: int) -> None:
    local = threading.local()

    def shifted(owner: Any, name: str) -> None:
        original = getattr(owner, name, None)
        if original is None:
            return

        @functools.wraps(original)
        def seed(given: Any = None, *rest: Any, **options: Any) -> Any:
            if getattr(local, "inside", False) or type(given) is not int:
                return original(given, *rest, **options)
            _seeded.append(f"{owner.__name__}.{name}")
            local.inside = True
            try:
                return original((given + offset * STRIDE) % MOST, *rest, **options)
            finally:
                local.inside = False

        setattr(owner, name, seed)

    shifted(random, "seed")
    when_imported("numpy.random", lambda module: shifted(module, "seed"))
    when_imported("torch", lambda module: shifted(module, "manual_seed"))
    for name in ("manual_seed", "manual_seed_all"):
        when_imported("torch.cuda", functools.partial(shifted, name=name))


class Streams:
    """Random numbers of several kinds, each drawn from a stream of its own, with a seed of its own."""

    def __init__(self, offsets: dict[str, int]) -> None:
        self.offsets = offsets
        self.ambient = DATA
        """What is drawn from where nothing more is known."""
        self._current = DATA
        self._states: dict[str, Any] = {}
        self._home = os.getpid(), threading.get_ident()

    @contextmanager
    def within(self, name: str) -> Iterator[None]:
        """Only in the thread that trains: workers are seeded from what is drawn there."""
        if self._current not in (DATA, self.ambient) or self._home != (os.getpid(), threading.get_ident()):
            yield
            return
        self._switch(name)
        try:
            yield
        finally:
            self._switch(self.ambient)

    def _switch(self, name: str) -> None:
        if name == self._current:
            return
        self._states[self._current] = random_state()
        self._current = name
        if name in self._states:
            restore(self._states[name])
        else:
            seed_all((zlib.crc32(name.encode()) + self.offsets.get(name, 0) * STRIDE) % MOST)


def random_state() -> tuple[Any, ...]:
    torch, numpy = sys.modules["torch"], sys.modules.get("numpy")
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None
    return random.getstate(), torch.get_rng_state(), cuda, None if numpy is None else numpy.random.get_state()


def restore(state: tuple[Any, ...]) -> None:
    torch, numpy = sys.modules["torch"], sys.modules.get("numpy")
    plain, own, cuda, arrays = state
    random.setstate(plain)
    torch.set_rng_state(own)
    if cuda is not None:
        torch.cuda.set_rng_state_all(cuda)
    if arrays is not None and numpy is not None:
        numpy.random.set_state(arrays)


def seed_all(seed: int) -> None:
    """Not as the program does it: these seeds are the run's own."""
    torch, numpy = sys.modules["torch"], sys.modules.get("numpy")
    random.Random.seed(random._inst, seed)  # what `random.seed` is bound to
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        for generator in torch.cuda.default_generators:
            generator.manual_seed(seed)
    if numpy is not None:
        numpy.random.set_state(numpy.random.RandomState(seed).get_state())


def separate(torch: Any, streams: Streams) -> None:
    """Draws while a model is built, a loader gives a batch, or a model trains come from streams of their own."""
    module = torch.nn.Module
    for kind in _with_subclasses(module):
        _scope_init(kind, streams)

    def made(cls: Any, /, **options: Any) -> None:
        super(module, cls).__init_subclass__(**options)
        _scope_init(cls, streams)

    module.__init_subclass__ = classmethod(made)
    _scope(module, "apply", streams, INIT)
    for name in [name for name in vars(torch.nn.init) if name.endswith("_") and not name.startswith("_")]:
        _scope(torch.nn.init, name, streams, INIT)
    _scope(torch.utils.data.DataLoader, "__iter__", streams, ORDERING)
    for kind in _with_subclasses(torch.utils.data.dataloader._BaseDataLoaderIter):
        if "__next__" in vars(kind):
            _scope(kind, "__next__", streams, ORDERING)
    _scope(module, "__call__", streams, DROPOUT, lambda self: self.training and torch.is_grad_enabled())


def _with_subclasses(kind: Any) -> list[Any]:
    return [kind, *(child for direct in kind.__subclasses__() for child in _with_subclasses(direct))]


def _scope_init(kind: Any, streams: Streams) -> None:
    if "__init__" in vars(kind):
        _scope(kind, "__init__", streams, INIT)


def _scope(
    owner: Any, name: str, streams: Streams, source: str, applies: Callable[..., bool] = lambda *_: True
) -> None:
    original = getattr(owner, name)

    @functools.wraps(original)
    def scoped(*arguments: Any, **options: Any) -> Any:
        if not applies(*arguments[:1]):
            return original(*arguments, **options)
        with streams.within(source):
            if source == DROPOUT:
                streams.ambient = ORDERING  # training has begun: what is drawn between its steps is what it is fed
            return original(*arguments, **options)

    setattr(owner, name, scoped)
