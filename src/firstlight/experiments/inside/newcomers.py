"""Parameters that join a training under way: thawed, added to the model, or those of a model that takes the place of
another. Does an optimizer hold them by then?

Each parameter of a model is looked at after every step. One that was frozen while the model trained, or was not there,
and now gets gradients step after step, is meant to be trained; where no optimizer holds it, it stands still. So does
one that a line means to thaw by setting `requires_grad` on its module. A model that nobody trained before may be there
to be looked through (a loss by its features); where no optimizer has anything left to apply, it is what was to train.
"""

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.nn.modules.module import register_module_parameter_registration_hook

from firstlight.experiments.inside import switching
from firstlight.experiments.inside.copies import Part, equal, parts
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.flags import assigned_at
from firstlight.observe.inside.taps.flags import flagged as flagged_in
from firstlight.observe.inside.taps.models import Call
from firstlight.observe.inside.taps.optimizers import left_behind
from firstlight.records.census import Census
from firstlight.records.places import Site
from firstlight.records.sighting import Some

MOST_MODELS = 16
IDLE_STEPS = 3
"""At which it gets a gradient and is not moved: one may belong to a probe, or the optimizer be told a line later."""


@dataclass
class _Standing:
    """Of one parameter."""

    joins: bool = False
    """The model trained without it before, and it was in no optimizer since."""
    late: bool = False
    """Its whole model came late, and nobody had it in hand yet."""
    first: Part | None = None
    """Its values when it got its first gradient since."""
    gradient: tuple[int, float] | None = None
    """How often it was written to, and its size."""
    steps: int = 0

    def look(self, parameter: torch.nn.Parameter, held: bool) -> None:
        if held or not parameter.requires_grad:
            self.joins, self.late = not parameter.requires_grad, False
            self.first, self.steps = None, 0
        elif self.joins and self._is_new(parameter.grad):
            values = parts([parameter])
            self.first = values if self.first is None else self.first
            self.joins = equal(self.first, values)  # else somebody moves it by hand
            self.steps += 1

    def _is_new(self, gradient: torch.Tensor | None) -> bool:
        was, self.gradient = self.gradient, None
        if gradient is not None:
            self.gradient = gradient._version, reading.norms([gradient])[0]
        return self.gradient is not None and self.gradient != was and self.gradient[1] > 0


@dataclass
class _Party:
    ref: "weakref.ref[torch.nn.Module]"
    site: Site | None
    late: bool
    """It was first called after a step of an optimizer."""
    steps: int = 0
    told: Census | None = None


@dataclass
class Newcomers:
    observer: Observer
    _models: dict[int, _Party] = field(default_factory=dict)
    _standings: ByIdentity[_Standing] = field(default_factory=ByIdentity)
    _lines: ByIdentity[Site] = field(default_factory=ByIdentity)
    """By which a parameter was thawed, or made a part of a model."""

    def returned(self, call: Call) -> None:
        known = self._models.get(id(call.module))
        if call.training and (known is None or known.ref() is not call.module) and len(self._models) < MOST_MODELS:
            late = any(entry.applied for entry in self.observer.optimizers())
            self._models[id(call.module)] = _Party(weakref.ref(call.module), sites.caller(), late)

    def joins(self, parameter: Any) -> None:
        """A line makes it trainable, or a part of a model."""
        if self.observer.step and (site := sites.caller(beyond="__init__")) is not None:
            self._lines[parameter] = site

    def switched(self, tensor: torch.Tensor, was: bool, on: bool) -> None:
        if on and not was and isinstance(tensor, torch.nn.Parameter):
            self.joins(tensor)

    def stepped(self, *_: Any) -> None:
        if self.observer.functional:
            return
        held = {id(p) for entry in self.observer.optimizers() for p in entry.parameters}
        for index, model in enumerate(self._models.values()):
            module = model.ref()
            if module is not None:
                named = [(name, p) for name, p in module.named_parameters() if reading.readable(p)]
                self._look(model, named, held)
                model.told = self._census(index, model, named, held)

    def _look(self, model: _Party, named: list[tuple[str, torch.nn.Parameter]], held: set[int]) -> None:
        for _, parameter in named:
            standing = self._standings.get(parameter, None)
            if standing is None:
                self._standings[parameter] = standing = self._begun(model)
            standing.look(parameter, id(parameter) in held)
        model.steps += any(p.grad is not None for _, p in named)

    def _begun(self, model: _Party) -> _Standing:
        late = model.late and not model.steps
        return _Standing(joins=late or model.steps > 0, late=late)

    def _census(
        self, index: int, model: _Party, named: list[tuple[str, torch.nn.Parameter]], held: set[int]
    ) -> Census | None:
        module = model.ref()
        assert module is not None
        behind = left_behind(self.observer.optimizers())
        idle = max((entry.idle for entry in behind), default=0)
        joined = [(name, p) for name, p in named if self._has_joined(p, idle)]
        flagged = list(flagged_in(module))
        if not joined and not flagged:
            return None
        trainable = [(name, p) for name, p in named if p.requires_grad]
        lines = [line for _, p in joined if (line := self._lines.get(p, None)) is not None]
        nobody = Some()
        return Census(
            step=self.observer.step,
            rank=rank(),
            model=index,
            name=type(module).__name__,
            site=model.site,
            steps=model.steps,
            backwards=model.steps,
            trainable=_some(trainable),
            frozen=_some([(name, p) for name, p in named if not p.requires_grad]),
            optimized=_some([(name, p) for name, p in trainable if id(p) in held]),
            unoptimized=nobody,
            uncalled=nobody,
            cut_off=nobody,
            wasted=nobody,
            zero=nobody,
            joined=_some(joined),
            joined_site=lines[0] if lines else None,
            left=_some([pair for entry in behind for pair in entry.named()]),
            left_steps=idle,
            flagged=tuple(path or type(one).__name__ for path, one in flagged),
            flag_site=assigned_at(flagged[0][0]) if flagged else None,
        )

    def _has_joined(self, parameter: torch.nn.Parameter, idle: int) -> bool:
        standing = self._standings.get(parameter, None)
        if standing is None or not standing.joins:
            return False
        return standing.steps >= IDLE_STEPS and (idle >= IDLE_STEPS or not standing.late)

    def seen(self) -> Iterator[Census]:
        """The program may have let go of the models by now."""
        yield from (model.told for model in self._models.values() if model.told is not None)


def _some(parameters: Sequence[tuple[str, torch.Tensor]]) -> Some:
    names = tuple(name for name, _ in parameters[: Some.MOST_NAMES])
    return Some(tensors=len(parameters), elements=sum(p.numel() for _, p in parameters), names=names)


def install(observer: Observer) -> Newcomers:
    newcomers = Newcomers(observer)
    joins = observer.shielded("newcomers", newcomers.joins)
    observer.moments.model_returned.append(observer.shielded("newcomers", newcomers.returned))
    observer.moments.step_ended.append(observer.shielded("newcomers", newcomers.stepped))

    def registered(_module: torch.nn.Module, _name: str, parameter: Any) -> None:
        if isinstance(parameter, torch.nn.Parameter):
            joins(parameter)

    register_module_parameter_registration_hook(registered)
    switching.follow(observer.shielded("newcomers", newcomers.switched))
    return newcomers
