"""Groups of parameters that an optimizer was given and that are frozen whenever it steps, to the end of the program.

A group of its own, with a rate of its own, is meant to be trained. It may be thawed in a stage that a rehearsal leaves
out; so it is told of only where every line that freezes or thaws was reached, and what decides there is settled.
"""

import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.experiments.inside import switching
from firstlight.experiments.inside.shortening.deciding import Way, decided, switches
from firstlight.experiments.inside.shortening.rounds import Book
from firstlight.observe.inside import sites
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site
from firstlight.records.sighting import Some
from firstlight.records.standing_by import GroupFrozen

MOST_GROUPS = 64


@dataclass
class _Group:
    weights: list["weakref.ref[torch.Tensor]"]
    parameters: Some
    optimizer: str
    built: Site | None
    rate: float
    steps: int = 0
    live: bool = False
    """Some of it took part, at a step of this optimizer or since at one of another."""
    beside: bool = False
    """Another group of the same optimizer took part in a step."""
    way: Way = ()
    """To the line that froze it last; none where that was not seen."""


@dataclass
class StandingBy:
    observer: Observer
    book: Book
    _known: ByIdentity[list[_Group]] = field(default_factory=ByIdentity)
    """By the optimizer; and below, all of them, whether or not the program has let go of it."""
    _groups: list[_Group] = field(default_factory=list)
    _frozen_by: ByIdentity[Way] = field(default_factory=ByIdentity)
    _reached: set[tuple[str, int]] = field(default_factory=set)
    """Lines of the program that freeze or thaw something."""
    _names: ByIdentity[str] = field(default_factory=ByIdentity)

    def returned(self, call: Call) -> None:
        for name, parameter in call.module.named_parameters() if call.training else ():
            if parameter not in self._names:
                self._names[parameter] = name

    def switched(self, tensor: torch.Tensor, _was: bool, on: bool) -> None:
        way = tuple(sites.way())
        self._reached |= set(way[:1])
        if not on:
            self._frozen_by[tensor] = way

    def stepped(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        groups = self._known.get(optimizer, None)
        if groups is None and len(self._groups) < MOST_GROUPS:
            self._known[optimizer] = groups = self._begun(optimizer)
            self._groups += groups
        trained = {id(p) for group in optimizer.param_groups for p in group["params"] if p.requires_grad}
        for group in self._groups:
            group.live = group.live or any(id(ref()) in trained for ref in group.weights)
        for group in groups or ():
            group.steps += 1
            group.beside = group.beside or bool(trained)
            ways = [self._frozen_by.get(ref(), None) for ref in group.weights]
            group.way = ways[0] if ways and ways[0] and all(ways) else ()

    def _begun(self, optimizer: torch.optim.Optimizer) -> list[_Group]:
        groups = optimizer.param_groups if len(optimizer.param_groups) > 1 else ()
        return [
            _Group(
                weights=[weakref.ref(p) for p in group["params"]],
                parameters=self._some(group["params"]),
                optimizer=type(optimizer).__name__,
                built=next((entry.site for entry in self.observer.optimizers() if entry.ref() is optimizer), None),
                rate=float(group.get("lr", 0.0)),
            )
            for group in groups
        ]

    def _some(self, parameters: list[torch.Tensor]) -> Some:
        names = tuple(self._names.get(p, None) or "a parameter" for p in parameters[: Some.MOST_NAMES])
        return Some(tensors=len(parameters), elements=sum(p.numel() for p in parameters), names=names)

    def seen(self, ended: str) -> Iterator[GroupFrozen]:
        idle = [group for group in self._groups if group.beside and group.way and not group.live]
        if ended != "exit" or not idle or self._may_switch():
            return
        for group in idle:
            if (decision := decided(group.way, self._came_to_last)) is not None:
                yield GroupFrozen(
                    step=self.observer.step,
                    rank=rank(),
                    optimizer=group.optimizer,
                    built=group.built,
                    site=sites.site_of(*decision.place),
                    parameters=group.parameters,
                    rate=group.rate,
                    steps=group.steps,
                    test=decision.test,
                )

    def _may_switch(self) -> bool:
        """A line that freezes or thaws was not reached."""
        files = {str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
        mine = [file for file in files if file.endswith(".py") and sites.is_users(file)]
        return any(
            not any((file, line) in self._reached for line in range(first, last + 1))
            for file, first, last in switches(mine)
        )

    def _came_to_last(self, file: str, first: int) -> bool | None:
        trains = [loop for loop in self.book.around(file, first) if loop.first == first and loop.trains]
        return all(loop.ended for loop in trains) if trains else None


def install(observer: Observer, book: Book) -> StandingBy:
    standing = StandingBy(observer, book)
    observer.moments.model_returned.append(observer.shielded("standing by", standing.returned))
    observer.moments.step_ended.append(observer.shielded("standing by", standing.stepped))
    switching.follow(observer.shielded("standing by", standing.switched))
    return standing
