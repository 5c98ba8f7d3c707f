"""Parameters that hold each other at zero: each is the factor of the other's gradient, and neither ever gets one.

Tensors that are zero and have a gradient of zero are watched from the first step of their optimizer on. Where several
are left after some steps, one after the other is moved off zero for a single backward. What gets a gradient then had
none because of that one. Branches that are switched off, dead units and experts that were not chosen get none even so.
Before the step everything is put back, so that the program goes on as it would have.
"""

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
from msgspec.structs import replace
from torch.nn.modules.module import register_module_parameter_registration_hook

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site
from firstlight.records.sighting import Some
from firstlight.records.stuck import StuckAtZero

PATIENCE = 6
"""Steps before anything is moved: whatever begins at zero alone has a gradient from the first or second step on."""
MOST_NUDGES = 8
MOST_OPTIMIZERS = 16
NUDGE = 1e-3
"""Size of what is put in the place of zero; small, since everything else of that step is computed with it."""


@dataclass
class _Held:
    """Of one optimizer."""

    name: str
    tensors: int
    stuck: list[torch.Tensor]
    site: Site | None
    steps: int = 1
    nudged: torch.Tensor | None = None
    tried: int = 0
    told: StuckAtZero | None = None


@dataclass
class Deadlocks:
    observer: Observer
    _held: ByIdentity[_Held] = field(default_factory=ByIdentity)
    _made: ByIdentity[Site] = field(default_factory=ByIdentity)
    _models: dict[int, "weakref.ref[torch.nn.Module]"] = field(default_factory=dict)
    _told: list[_Held] = field(default_factory=list)

    def registered(self, parameter: Any) -> None:
        if parameter not in self._made and (site := sites.caller()) is not None:
            self._made[parameter] = site

    def returned(self, call: Call) -> None:
        if call.training and id(call.module) not in self._models and len(self._models) < MOST_OPTIMIZERS:
            self._models[id(call.module)] = weakref.ref(call.module)

    def stepped(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = self._held.get(optimizer, None)
        if held is None:
            if len(self._told) < MOST_OPTIMIZERS:
                self._begin(optimizer)
            return
        if len(held.stuck) < 2:
            return
        held.steps += 1
        held.stuck = [p for p in held.stuck if not p.any() and (p.grad is None or not p.grad.any())]
        wakes = held.told is not None and held.told.nudged is not None
        if len(held.stuck) > 1 and held.steps >= PATIENCE and not wakes:
            self._nudge(held)

    def _begin(self, optimizer: torch.optim.Optimizer) -> None:
        """Those that have no gradient at all are not on the way to the loss."""
        parameters = [p for group in optimizer.param_groups for p in group["params"] if reading.readable(p)]
        known = [p for p in parameters if p.grad is not None and not p.grad.is_sparse and p.numel()]
        zero = [p for p, norm in zip(known, reading.norms(known), strict=True) if norm == 0]
        stuck = [p for p in zero if p.grad is not None and not p.any() and not p.grad.any()]
        held = _Held(type(optimizer).__name__, len(known), stuck, self._site_of(optimizer))
        self._held[optimizer] = held
        if len(stuck) > 1:
            self._told.append(held)

    def _site_of(self, optimizer: torch.optim.Optimizer) -> Site | None:
        return next((entry.site for entry in self.observer.optimizers() if entry.ref() is optimizer), None)

    def _nudge(self, held: _Held) -> None:
        if held.tried >= min(MOST_NUDGES, len(held.stuck)):
            return
        one = held.stuck[held.tried]
        held.tried += 1
        drawn = torch.randn(one.shape, generator=torch.Generator().manual_seed(held.tried))
        one.data.copy_(NUDGE * drawn)  # by its `data`: graphs that are still needed do not notice
        held.nudged = one

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = self._held.get(optimizer, None)
        if held is None or held.nudged is None:
            return
        nudged, held.nudged = held.nudged, None
        nudged.data.zero_()
        reached = [p for p in held.stuck if p.grad is not None and bool(p.grad.any())]
        for gradient in [p.grad for p in reached if p.grad is not None]:
            gradient.zero_()
        self._tell(held, nudged, [p for p in reached if p is not nudged])

    def _tell(self, held: _Held, nudged: torch.Tensor, woken: list[torch.Tensor]) -> None:
        names = {
            id(p): name
            for ref in self._models.values()
            if (module := ref()) is not None
            for name, p in module.named_parameters()
        }
        stuck = [nudged, *woken] if woken else held.stuck
        held.told = StuckAtZero(
            step=self.observer.step,
            rank=rank(),
            optimizer=held.name,
            site=self._made.get(stuck[0], None) or held.site,
            steps=held.steps,
            stuck=_some(held.stuck, names),
            others=held.tensors - len(held.stuck),
            nudged=names.get(id(nudged), "a parameter") if woken else None,
            woken=_some(woken, names),
        )

    def seen(self) -> Iterator[StuckAtZero]:
        for held in self._told:
            if held.told is not None and len(held.stuck) > 1:
                yield replace(held.told, steps=held.steps)


def _some(parameters: list[torch.Tensor], names: dict[int, str]) -> Some:
    return Some(
        tensors=len(parameters),
        elements=sum(p.numel() for p in parameters),
        names=tuple(names.get(id(p), "a parameter") for p in parameters[: Some.MOST_NAMES]),
    )


def install(observer: Observer) -> Deadlocks:
    deadlocks = Deadlocks(observer)
    made = observer.shielded("deadlocks", deadlocks.registered)
    observer.moments.model_returned.append(observer.shielded("deadlocks", deadlocks.returned))
    observer.moments.step_begins.append(observer.shielded("deadlocks", deadlocks.step_begins))
    observer.moments.step_ended.append(observer.shielded("deadlocks", deadlocks.stepped))

    def registered(_module: torch.nn.Module, _name: str, parameter: Any) -> None:
        if isinstance(parameter, torch.nn.Parameter):
            made(parameter)

    register_module_parameter_registration_hook(registered)
    return deadlocks
