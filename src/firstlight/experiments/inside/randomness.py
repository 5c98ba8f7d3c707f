"""Is a random state set back while a model is trained? Then each epoch draws what the one before it drew."""

import functools
import random
import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.imports import when_imported
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site
from firstlight.records.randomness import RandomAgain

MOST_CALLS = 400
MOST_MODELS = 8
MOST_SOURCES = 3
"""Of random numbers: torch, Python and numpy."""


@dataclass
class _Drawn:
    """States of one source that one model was called in, and the step at which each was met first."""

    model: "weakref.ref[torch.nn.Module]"
    name: str
    source: str
    steps: dict[int, int] = field(default_factory=dict)
    last: int | None = None
    times: int = 0
    met: tuple[int, int] | None = None
    inputs: dict[int, str] = field(default_factory=dict)
    """What the model was given in each state, and below, the times that it was given the same again."""
    same: int = 0


class Randomness:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.site: Site | None = None
        self._drawn: dict[tuple[int, str], _Drawn] = {}

    def returned(self, call: Call) -> None:
        if call.training and call.module.training:
            given = reading.fingerprint(call.inputs)
            for source, state in _states():
                self._met(call.module, source, state, given)

    def _met(self, module: torch.nn.Module, source: str, state: int, given: str) -> None:
        drawn = self._drawn.get((id(module), source))
        if drawn is None or drawn.model() is not module:
            if len(self._drawn) >= MOST_MODELS * MOST_SOURCES:
                return
            drawn = self._drawn[id(module), source] = _Drawn(weakref.ref(module), type(module).__name__, source)
        if len(drawn.steps) < MOST_CALLS:
            self._note(drawn, state, given)

    def _note(self, drawn: _Drawn, state: int, given: str) -> None:
        """A state that stays as it is tells nothing: nobody draws."""
        if state != drawn.last and state in drawn.steps:
            drawn.times += 1
            drawn.met = drawn.met or (drawn.steps[state], self.observer.step)
            drawn.same += drawn.inputs[state] == given
        drawn.steps.setdefault(state, self.observer.step)
        drawn.inputs.setdefault(state, given)
        drawn.last = state

    def seeded(self) -> None:
        if self.observer.step:
            self.site = sites.caller() or self.site

    def seen(self) -> Iterator[RandomAgain]:
        for drawn in self._drawn.values():
            if drawn.met is not None:
                yield RandomAgain(
                    model=drawn.name,
                    source=drawn.source,
                    site=self.site,
                    times=drawn.times,
                    same=drawn.same,
                    first=drawn.met[0],
                    again=drawn.met[1],
                )


def install(observer: Observer) -> Randomness:
    randomness = Randomness(observer)
    observer.moments.model_returned.append(observer.shielded("randomness", randomness.returned))
    seeded = observer.shielded("randomness", randomness.seeded)
    _tell_of_seeds(torch, ("manual_seed", "seed", "set_rng_state"), seeded)
    _tell_of_seeds(random, ("seed", "setstate"), seeded)
    when_imported("numpy.random", lambda module: _tell_of_seeds(module, ("seed", "set_state"), seeded))
    return randomness


def _states() -> Iterator[tuple[str, int]]:
    yield "torch", hash(bytes(torch.get_rng_state().tolist()))
    yield "random", hash(random.getstate())
    if "numpy" in sys.modules:
        _, numbers, place, *_ = sys.modules["numpy"].random.get_state()
        yield "numpy", hash((numbers.tobytes(), place))


def _tell_of_seeds(module: Any, names: tuple[str, ...], seeded: Any) -> None:
    for name in names:
        setattr(module, name, _telling(getattr(module, name), seeded))


def _telling(original: Any, seeded: Any) -> Any:
    @functools.wraps(original)
    def setting(*arguments: Any, **options: Any) -> Any:
        seeded()
        return original(*arguments, **options)

    return setting
