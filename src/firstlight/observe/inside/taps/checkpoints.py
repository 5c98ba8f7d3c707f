"""States that are written, read and loaded back, and what training goes on with afterwards."""

import functools
import os
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside import sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps import states
from firstlight.observe.inside.taps.reuse import Reuse
from firstlight.records.places import Site
from firstlight.records.restored import Restored, Resumption

MOST_DEPTH = 3
MOST_KEPT = 64
"""States and files remembered."""
RESUMED_STEPS = 5
"""After so many steps training has gone on."""
CHANGING = ("params", "lr", "initial_lr")


@dataclass
class Reading:
    """A checkpoint of this program that was read back."""

    site: Site | None
    groups: list[Mapping[str, Any]]
    """Of the optimizer state in it."""
    step: int
    held: frozenset[str]
    """Kinds of state in it."""
    model: bool = False
    optimizer: bool = False
    steps: int = 0


@dataclass(frozen=True)
class Taken:
    """A state that the program asked a model for."""

    ref: "weakref.ref[Any]"
    step: int
    of: "weakref.ref[torch.nn.Module]"
    site: Site | None


class Checkpoints:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._written: set[str] = set()
        self._taken: list[Taken] = []
        self._reading: Reading | None = None
        self._empty: set[str] = set()
        """Kinds of things that were built since the first checkpoint was written, and were given no state."""
        self._own = self._told = 0
        self.reuse = Reuse(observer)

    def written(self, path: str, given: Any) -> None:
        if len(self._written) < MOST_KEPT:
            self._written.add(path)
        for state, step, module in self._kept_in(given):
            own = _own(module, state)
            self._tell(Restored.SAVED, module, state, own, self.observer.step - step)

    def _kept_in(self, tree: Any, depth: int = 0) -> Iterator[tuple[Mapping[str, Any], int, torch.nn.Module]]:
        """States that were taken between earlier steps, with the model they were taken of.

        One that was taken as the best so far may have been taken just now, in place of an earlier one.
        """
        for taken in self._taken:
            state, module = taken.ref(), taken.of()
            if state is None or module is None or state is not tree:
                continue
            apart = taken.site != sites.caller() and self.observer.chooses(taken.site)
            step = self._step_of(state) if apart else taken.step
            if 0 < step < self.observer.step:
                yield state, step, module
        if isinstance(tree, Mapping) and depth < MOST_DEPTH:
            for item in tree.values():
                yield from self._kept_in(item, depth + 1)

    def read(self, path: str, found: Any) -> None:
        """Only what the program wrote itself: a stranger's checkpoint is a beginning, not a continuation."""
        if path in self._written and self.observer.step and isinstance(found, Mapping):
            self._reading = Reading(
                sites.caller(), _groups(found), self.observer.step, frozenset(states.kinds_in(found))
            )

    def models_read(self, found: Any) -> None:
        """That were saved whole."""
        for one in (found, *(found.values() if isinstance(found, Mapping) else ())):
            if isinstance(one, torch.nn.Module):
                self.reuse.loaded(one, dict(one.named_parameters()))
                self.observer.tell(self.observer.moments.state_loaded, one)

    def taken(self, module: torch.nn.Module, state: Any) -> None:
        """A hook of the program may have made a plain dict of it, to which no weak reference can be had."""
        if type(state) is dict:
            return
        taken = Taken(weakref.ref(state), self.observer.step, weakref.ref(module), sites.caller())
        self._taken = [*self._taken[1 - MOST_KEPT :], taken]

    def about_to_load(self, module: torch.nn.Module, given: Any) -> None:
        self._own = _own(module, given) if self.observer.step and isinstance(given, Mapping) else 0

    def model_loaded(self, module: torch.nn.Module, given: Mapping[str, Any]) -> None:
        if self._reading is not None:
            self._reading.model = True
        self.reuse.loaded(module, given)
        self._tell(Restored.LOADED, module, given, self._own, self.observer.step - self._step_of(given))

    def _tell(self, how: str, module: torch.nn.Module, given: Mapping[str, Any], own: int, steps: int) -> None:
        self._told += 1
        if self._told > MOST_KEPT:
            return
        names = set(module.state_dict())
        missing, unexpected = sorted(names - set(given)), sorted(set(given) - names)
        self.observer.emit(
            Restored(
                how=how,
                module=type(module).__name__,
                site=sites.caller(),
                held=len(names),
                matched=len(names) - len(missing),
                unexpected=len(unexpected),
                first_missing=missing[0] if missing else "",
                first_unexpected=unexpected[0] if unexpected else "",
                own=own,
                steps=steps,
            )
        )

    def _step_of(self, given: Any) -> int:
        """When it was taken; or when the same line first took one, which would have been kept just so."""
        site = next((taken.site for taken in self._taken if taken.ref() is given), None)
        return min((taken.step for taken in self._taken if site is not None and taken.site == site), default=0)

    def optimizer_loaded(self) -> None:
        if self._reading is not None:
            self._reading.optimizer = True

    def built(self, kind: str) -> None:
        if self._written:
            self._empty.add(kind)

    def given_state(self, kind: str) -> None:
        self._empty.discard(kind)

    def step_ended(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        reading = self._reading
        if reading is None:
            return
        reading.steps += 1
        if reading.steps < RESUMED_STEPS:
            return
        self._reading = None
        self.observer.emit(
            Resumption(
                site=reading.site,
                optimizer=type(optimizer).__name__,
                holds_optimizer=_same_settings(reading.groups, optimizer),
                model_loaded=reading.model,
                optimizer_loaded=reading.optimizer,
                begun_anew=tuple(sorted(reading.held & self._empty)),
                steps=reading.steps,
            )
        )


def _groups(tree: Any, depth: int = 0) -> list[Mapping[str, Any]]:
    """The parameter groups of the first optimizer state in nested mappings."""
    if not isinstance(tree, Mapping) or depth > MOST_DEPTH:
        return []
    if {"state", "param_groups"} <= tree.keys():
        return list(tree["param_groups"]) if tree["state"] else []
    return next((found for item in tree.values() if (found := _groups(item, depth + 1))), [])


def _same_settings(groups: list[Mapping[str, Any]], optimizer: torch.optim.Optimizer) -> bool:
    """It is the same training that goes on: another rate to begin with, or other settings, are a stage of its own."""
    now = optimizer.param_groups
    return bool(groups) and len(groups) == len(now) and all(map(_same_group, groups, now))


def _same_group(was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    settings = {key: value for key, value in was.items() if key not in CHANGING}
    began = [group.get("initial_lr", group.get("lr")) for group in (was, now)]
    return began[0] == began[1] and settings == {key: value for key, value in now.items() if key not in CHANGING}


def _own(module: torch.nn.Module, given: Mapping[str, Any]) -> int:
    """Tensors of `given` that are the memory of the module itself, under the same name."""
    held = {name: tensor.data_ptr() for name, tensor in module.state_dict().items() if _has_memory(tensor)}
    return sum(_has_memory(tensor) and tensor.data_ptr() == held.get(name) for name, tensor in given.items())


def _has_memory(value: Any) -> bool:
    return type(value) in (torch.Tensor, torch.nn.Parameter) and value.device.type != "meta" and value.numel() > 0


def _path(file: Any) -> str | None:
    return os.path.abspath(file) if isinstance(file, str | os.PathLike) else None


def install(observer: Observer) -> None:
    checkpoints = Checkpoints(observer)
    _watch_files(observer, checkpoints)
    _watch_models(observer, checkpoints)
    states.watch(
        observer.shielded("checkpoints", checkpoints.built), observer.shielded("checkpoints", checkpoints.given_state)
    )
    loaded = observer.shielded("checkpoints", checkpoints.optimizer_loaded)
    original = torch.optim.Optimizer.load_state_dict

    @functools.wraps(original)
    def load(self: torch.optim.Optimizer, *arguments: Any, **keywords: Any) -> Any:
        found = original(self, *arguments, **keywords)
        loaded()
        return found

    torch.optim.Optimizer.load_state_dict = load  # type: ignore[method-assign]
    observer.moments.step_ended.append(observer.shielded("checkpoints", checkpoints.step_ended))
    observer.moments.model_returned.append(observer.shielded("checkpoints", checkpoints.reuse.returned))


def _watch_files(observer: Observer, checkpoints: Checkpoints) -> None:
    written = observer.shielded("checkpoints", checkpoints.written)
    read = observer.shielded("checkpoints", checkpoints.read)
    models_read = observer.shielded("checkpoints", checkpoints.models_read)
    save, load = torch.save, torch.load

    @functools.wraps(save)
    def saving(obj: Any, f: Any, *arguments: Any, **keywords: Any) -> None:
        save(obj, f, *arguments, **keywords)
        if (path := _path(f)) is not None:
            written(path, obj)

    @functools.wraps(load)
    def loading(f: Any, *arguments: Any, **keywords: Any) -> Any:
        found = load(f, *arguments, **keywords)
        models_read(found)
        if (path := _path(f)) is not None:
            read(path, found)
        return found

    torch.save, torch.load = saving, loading


def _watch_models(observer: Observer, checkpoints: Checkpoints) -> None:
    about_to_load = observer.shielded("checkpoints", checkpoints.about_to_load)
    loaded = observer.shielded("checkpoints", checkpoints.model_loaded)
    taken = observer.shielded("checkpoints", checkpoints.taken)
    take, put = torch.nn.Module.state_dict, torch.nn.Module.load_state_dict

    @functools.wraps(take)
    def taking(self: torch.nn.Module, *arguments: Any, **keywords: Any) -> Any:
        state = take(self, *arguments, **keywords)
        if not arguments and keywords.get("destination") is None and not observer.reading:
            taken(self, state)
        return state

    @functools.wraps(put)
    def putting(self: torch.nn.Module, state_dict: Mapping[str, Any], *arguments: Any, **keywords: Any) -> Any:
        if observer.reading:
            return put(self, state_dict, *arguments, **keywords)
        about_to_load(self, state_dict)
        found = put(self, state_dict, *arguments, **keywords)
        loaded(self, state_dict)
        observer.tell(observer.moments.state_loaded, self)
        return found

    torch.nn.Module.state_dict = taking  # type: ignore[method-assign]
    torch.nn.Module.load_state_dict = putting  # type: ignore[method-assign]
