"""Whether training raises or lowers the entropy of the distributions that the program draws from."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.distributions import Distribution

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.records.inner import EntropySeen
from firstlight.records.places import Site


class Entropies:
    """The gradient of the loss by an entropy says what a step does to it: where it is positive, it goes down."""

    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self.draws = 0
        self._seen: dict[tuple[str, Site | None], list[int]] = {}

    def drawn(self, *_: Any) -> None:
        self.draws += 1

    def computed(self, distribution: Distribution, entropy: Any) -> None:
        if isinstance(entropy, torch.Tensor) and entropy.requires_grad:
            counts = self._seen.setdefault((type(distribution).__name__, sites.caller(2)), [0, 0])
            entropy.register_hook(functools.partial(_count, counts))

    def tell(self) -> None:
        for (name, site), (lowered, raised) in self._seen.items():
            seen = EntropySeen(name=name, site=site, lowered=lowered, raised=raised, draws=self.draws)
            self.observer.emit(seen)


def _count(counts: list[int], gradient: torch.Tensor) -> None:
    pull = float(gradient.detach().sum())
    counts[0] += pull > 0
    counts[1] += pull < 0


def install(observer: Observer) -> None:
    entropies = Entropies(observer)
    drawn, computed = (observer.shielded("entropy", one) for one in (entropies.drawn, entropies.computed))
    for name, tell in (("sample", drawn), ("rsample", drawn), ("entropy", computed)):
        follow(name, tell)
    observer.moments.milestone.append(observer.shielded("entropy", entropies.tell))


def follow(name: str, tell: Callable[..., None]) -> None:
    """Tells of every call of a method that distributions have, with the distribution and what it gave."""
    for kind in _kinds(Distribution):
        if name in vars(kind):
            setattr(kind, name, _telling(getattr(kind, name), tell))


def _kinds(kind: type[Distribution]) -> Iterator[type[Distribution]]:
    yield kind
    for below in kind.__subclasses__():
        yield from _kinds(below)


def _telling(original: Callable[..., Any], tell: Callable[..., None]) -> Callable[..., Any]:
    @functools.wraps(original)
    def method(self: Distribution, *arguments: Any, **options: Any) -> Any:
        result = original(self, *arguments, **options)
        tell(self, result)
        return result

    return method
