"""Is torch's random state set back while a model is trained? Then each epoch draws what the one before it drew."""

import functools
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import rank
from firstlight.records.places import Site
from firstlight.records.randomness import RandomAgain

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Call

MOST_CALLS = 400
MOST_MODELS = 8


@dataclass
class _Drawn:
    """States that one model was called in, and the step at which each was met first."""

    model: "weakref.ref[torch.nn.Module]"
    name: str
    steps: dict[int, int] = field(default_factory=dict)
    last: int | None = None
    times: int = 0
    met: tuple[int, int] | None = None


class Randomness:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self.site: Site | None = None
        self._drawn: dict[int, _Drawn] = {}

    def returned(self, call: "Call") -> None:
        if not call.training or not call.module.training:
            return
        drawn = self._drawn.get(id(call.module))
        if drawn is None or drawn.model() is not call.module:
            if len(self._drawn) >= MOST_MODELS:
                return
            drawn = self._drawn[id(call.module)] = _Drawn(weakref.ref(call.module), type(call.module).__name__)
        if len(drawn.steps) < MOST_CALLS:
            self._note(drawn, hash(bytes(torch.get_rng_state().tolist())))

    def _note(self, drawn: _Drawn, state: int) -> None:
        """A state that stays as it is tells nothing: nobody draws."""
        if state != drawn.last and state in drawn.steps:
            drawn.times += 1
            drawn.met = drawn.met or (drawn.steps[state], self.observer.step)
        drawn.steps.setdefault(state, self.observer.step)
        drawn.last = state

    def seeded(self) -> None:
        if self.observer.step:
            self.site = sites.caller() or self.site

    def seen(self) -> Iterator[RandomAgain]:
        for drawn in self._drawn.values():
            if drawn.met is not None:
                yield RandomAgain(
                    step=self.observer.step,
                    rank=rank(),
                    model=drawn.name,
                    site=self.site,
                    times=drawn.times,
                    first=drawn.met[0],
                    again=drawn.met[1],
                )


def install(observer: "Observer") -> Randomness:
    randomness = Randomness(observer)
    observer.moments.model_returned.append(observer.shielded("randomness", randomness.returned))
    seeded = observer.shielded("randomness", randomness.seeded)
    for name in ("manual_seed", "seed", "set_rng_state"):
        setattr(torch, name, _telling(getattr(torch, name), seeded))
    return randomness


def _telling(original: Any, seeded: Any) -> Any:
    @functools.wraps(original)
    def setting(*arguments: Any, **options: Any) -> Any:
        seeded()
        return original(*arguments, **options)

    return setting
