"""Models that are built, trained and let go of, one after the other: was each used for anything before it was gone?

A model is used where the program calls it in eval mode or without gradients, or calls it or reads its weights after the
last step, or copies, pickles or saves it at any time since the first. It is gone when the module is.
"""

import functools
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.models import Call
from firstlight.records.given_up import GivenUp
from firstlight.records.places import Site

MOST_LIVES = 1000
MOST_TOLD = 32
Way = list[tuple[str, int]]
"""The user's lines that are running, the outermost first."""


@dataclass
class _Life:
    """Of a model, from the first step of an optimizer that holds it."""

    modules: list["weakref.ref[torch.nn.Module]"]
    name: str
    site: Site | None
    optimizer: str
    steps: int = 0
    used: bool = False
    used_since_step: bool = False
    kept: bool = False
    """It was still there when the next one made its first step."""

    def is_used(self) -> bool:
        return self.used or self.used_since_step


@dataclass
class Lives:
    observer: Observer
    _called: ByIdentity[bool] = field(default_factory=ByIdentity)
    """Modules called with gradients."""
    _ways: ByIdentity[Way] = field(default_factory=ByIdentity)
    """To the line that built an optimizer."""
    _of_optimizer: ByIdentity[_Life] = field(default_factory=ByIdentity)
    _of_weight: ByIdentity[_Life] = field(default_factory=ByIdentity)
    _alike: dict[tuple[Any, ...], list[_Life]] = field(default_factory=dict)
    _count: int = 0

    def built(self) -> None:
        for entry in self.observer.optimizers():
            optimizer = entry.ref()
            if optimizer is not None and optimizer not in self._ways:
                self._ways[optimizer] = _way()

    def returned(self, call: Call) -> None:
        if call.training and call.module not in self._called:
            self._called[call.module] = True
        asks = not call.training or not call.module.training
        for life in {
            id(life): life for p in call.module.parameters() if (life := self._of_weight.get(p, None))
        }.values():
            life.used, life.used_since_step = life.used or asks, True

    def reads(self, *weights: Any) -> None:
        """The program has them in its hands, as it has at every step."""
        for weight in weights:
            if not self.observer.reading and (life := self._of_weight.get(weight, None)) is not None:
                life.used_since_step = True

    def keeps(self, *weights: Any) -> None:
        """They are copied, pickled or become a part of a state."""
        for weight in weights:
            if not self.observer.reading and (life := self._of_weight.get(weight, None)) is not None:
                life.used = True

    def stepped(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        life = self._of_optimizer.get(optimizer, None)
        if life is None and self._count < MOST_LIVES:
            life = self._begins(optimizer)
        if life is not None:
            life.steps += 1
            life.used_since_step = False

    def _begins(self, optimizer: torch.optim.Optimizer) -> _Life | None:
        weights = [p for group in optimizer.param_groups for p in group["params"]]
        held = {id(p) for p in weights}
        modules = [module for module in self._called if any(id(p) in held for p in module.parameters())]
        if not modules:
            return None
        kind, site = type(optimizer).__name__, _parting(self._ways.get(optimizer, None) or [], _way())
        life = _Life([weakref.ref(module) for module in modules], type(modules[0]).__name__, site, kind)
        settings = repr(sorted(optimizer.defaults.items(), key=lambda item: item[0]))
        alike = self._alike.setdefault((site, kind, settings, tuple(p.shape for p in weights)), [])
        for before in alike[-1:]:
            before.kept = any(ref() is not None for ref in before.modules)
        alike.append(life)
        self._count += 1
        self._of_optimizer[optimizer] = life
        for weight in weights:
            self._of_weight[weight] = life
        return life

    def seen(self) -> Iterator[GivenUp]:
        for (site, kind, *_), lives in self._alike.items():
            given_up = [life.steps for life in lives[:-1] if not life.is_used()]
            if not given_up or not lives[-1].is_used() or any(life.kept for life in lives):
                continue
            yield GivenUp(
                step=self.observer.step,
                rank=rank(),
                model=lives[-1].name,
                site=site,
                optimizer=kind,
                lives=tuple(given_up[:MOST_TOLD]),
                used=len(lives) - len(given_up),
            )


def _way() -> Way:
    return list(sites.way())[::-1]


def _parting(built: Way, stepped: Way) -> Site | None:
    """Where the way to the line that built something leaves the way to the line that steps it."""
    same = 0
    while same < min(len(built), len(stepped)) and built[same] == stepped[same]:
        same += 1
    return sites.site_of(*built[min(same, len(built) - 1)]) if built else None


def install(observer: Observer) -> Lives:
    lives = Lives(observer)
    shielded = functools.partial(observer.shielded, "lives")
    observer.moments.optimizer_built.append(shielded(lives.built))
    observer.moments.model_returned.append(shielded(lives.returned))
    observer.moments.step_ended.append(shielded(lives.stepped))
    _follow_keeping(lives)
    _follow_reading(lives)
    return lives


def _follow_keeping(lives: Lives) -> None:
    weight: Any = torch.nn.Parameter
    for name in ("__deepcopy__", "__reduce_ex__"):
        setattr(weight, name, _telling(getattr(weight, name), lambda found, _: lives.keeps(found)))
    module: Any = torch.nn.Module
    module.state_dict = _telling(module.state_dict, lambda found, _: lives.keeps(*_weights(found)))


def _follow_reading(lives: Lives) -> None:
    """By its name, as a part of a module, or with all the others."""
    module: Any = torch.nn.Module
    module.__getattr__ = _telling(module.__getattr__, lambda _, found: lives.reads(found), kind=torch.nn.Parameter)
    module.named_parameters = _telling(
        module.named_parameters, lambda found, _: lives.reads(*(p for part in found.modules() for p in _weights(part)))
    )


def _weights(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    """Its own, without those of modules within it."""
    return [weight for weight in module._parameters.values() if weight is not None]


def _telling(original: Any, tell: Callable[[Any, Any], None], kind: type = object) -> Any:
    """Calls `tell` with the object and with what the method gave, where that is of a kind."""

    @functools.wraps(original)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        found = original(self, *arguments, **options)
        if isinstance(found, kind):
            tell(self, found)
        return found

    return method
