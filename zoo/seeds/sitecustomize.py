"""Shifts every seed a program sets by ZOO_SEED, without a change to the program.

Python imports a module of this name from PYTHONPATH before the program begins, in every process the program starts:
spawned workers, ranks under torchrun, `python -m`. What seeds by way of these functions (`seed_everything` of
Lightning, `set_seed` of transformers and accelerate, `random_state=` of scikit-learn) is shifted with them. The first
process is also seeded at its start, for programs that set no seed. Without ZOO_SEED, or with 0, nothing is touched.
"""

import ctypes
import gc
import importlib.abc
import importlib.util
import os
import random
import sys
from types import ModuleType
from typing import Any

SHIFT = int(os.environ.get("ZOO_SEED") or 0)
FIRST = os.environ.pop("ZOO_SEED_START", "1") == "1"
"""Only the process that a person starts is seeded at its start: ranks and workers seeded alike would draw alike."""
LIMIT = 2**32
"""numpy takes seeds below it."""


def shifted(seed: Any) -> Any:
    """Seeds of other kinds than numbers (None, bytes, a generator) stay as they are."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        return seed
    return (seed + 1000 * SHIFT) % LIMIT


def shift_random() -> None:
    class Random(random.Random):
        def seed(self, a: Any = None, version: int = 2) -> None:
            super().seed(shifted(a), version)

    set_seed = random.seed
    random.Random = Random  # type: ignore[misc]
    random.seed = lambda a=None, version=2: set_seed(shifted(a), version)
    if FIRST:
        set_seed(SHIFT)


def shift_numpy(module: ModuleType) -> None:
    numpy_random: Any = module
    plain_class, plain_rng, plain_seed = numpy_random.RandomState, numpy_random.default_rng, numpy_random.seed

    class Alike(type(plain_class)):  # type: ignore[misc]
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, plain_class)

    class RandomState(numpy_random.RandomState, metaclass=Alike):  # type: ignore[misc]
        def __init__(self, seed: Any = None) -> None:
            super().__init__(shifted(seed))

    numpy_random.RandomState = RandomState
    numpy_random.default_rng = lambda seed=None: plain_rng(shifted(seed))
    numpy_random.seed = lambda seed=None: plain_seed(shifted(seed))
    if FIRST:
        plain_seed(SHIFT)


def shift_torch(module: ModuleType) -> None:
    """`torch.manual_seed` ends in this method of the default generator. Its class is closed to assignment, and a
    subclass would not be the class of the default generator, so the entry in the class's own dictionary is replaced.
    """
    torch: Any = module
    generator = torch._C.Generator
    plain = generator.manual_seed
    gc.get_referents(generator.__dict__)[0]["manual_seed"] = lambda self, seed: plain(self, shifted(seed))
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(generator))
    if FIRST:
        plain(torch.default_generator, SHIFT)


class AfterImport(importlib.abc.MetaPathFinder):
    """Calls a function with a module as soon as the module has been imported."""

    def __init__(self) -> None:
        self.asking: str | None = None
        """What the other finders are being asked for, so that this one keeps out of it."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        shift = {"torch": shift_torch, "numpy.random": shift_numpy}.get(name)
        if shift is None or name == self.asking:
            return None
        self.asking = name
        spec = importlib.util.find_spec(name)
        self.asking = None
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def load_and_shift(module: ModuleType) -> None:
            load(module)
            shift(module)

        spec.loader.exec_module = load_and_shift  # type: ignore[method-assign]
        return spec


if SHIFT:
    os.environ["ZOO_SEED_START"] = "0"
    shift_random()
    sys.meta_path.insert(0, AfterImport())
