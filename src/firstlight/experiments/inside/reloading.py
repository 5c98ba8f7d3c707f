"""Does a model that was saved and loaded again answer as it did? Both are asked, on the same inputs.

A state dict holds parameters and buffers. What else an answer rests on (statistics kept in plain attributes, options of
the constructor, layers in a plain list) is lost with a new object, and nothing says so.
"""

import functools
import os
import weakref
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from firstlight.experiments.inside.steering import changed, mapped
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.models import Call
from firstlight.records.declared import RoundTrip
from firstlight.records.places import Site

MOST_KEPT = 16
MOST_DEPTH = 3
LEAST = 1e-12


@dataclass
class _Saved:
    module: int
    """By its `id`."""
    names: frozenset[str]
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    answer: torch.Tensor


class Reloading:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._called: dict[int, tuple[weakref.ref[torch.nn.Module], tuple[Any, ...], dict[str, Any]]] = {}
        self._saved: dict[tuple[str, tuple[str, ...]], _Saved] = {}
        self._read: list[tuple[Any, _Saved]] = []

    def returned(self, call: Call) -> None:
        if len(self._called) < MOST_KEPT or id(call.module) in self._called:
            given = (mapped(one, torch.Tensor.detach) for one in (call.arguments, call.keywords))
            self._called[id(call.module)] = (weakref.ref(call.module), *given)

    def saving(self, given: Any, path: str) -> None:
        for place, state in _states(given):
            if len(self._saved) >= MOST_KEPT and (path, place) not in self._saved:
                return
            self._saved.pop((path, place), None)
            if (found := self._asked(state)) is not None:
                self._saved[path, place] = found

    def _asked(self, state: Mapping[str, Any]) -> _Saved | None:
        """The answers of the model whose own memory this is, if it gives the same ones twice."""
        for ref, arguments, keywords in self._called.values():
            module = ref()
            if module is None or not _is_of(state, module):
                continue
            given = changed(arguments, torch.clone), changed(keywords, torch.clone)
            first, again = _answer(module, *given), _answer(module, *given)
            if first is None or again is None or not torch.equal(first, again):
                return None
            return _Saved(id(module), frozenset(state), *given, first)
        return None

    def loading(self, found: Any, path: str) -> None:
        for place, state in _states(found):
            if (saved := self._saved.get((path, place))) is not None:
                self._read = [*self._read[1 - MOST_KEPT :], (state, saved)]

    def loaded(self, module: torch.nn.Module, given: Any) -> None:
        """Into a new object; what changed in the old one since is what loading is meant to undo."""
        saved = next((saved for state, saved in self._read if state is given), None)
        if saved is None or saved.module == id(module) or saved.names != frozenset(module.state_dict()):
            return
        answer = _answer(module, saved.arguments, saved.keywords)
        if answer is None or answer.shape != saved.answer.shape:
            return
        apart = float((answer - saved.answer).norm() / saved.answer.norm().clamp_min(LEAST))
        self.observer.emit(_round_trip(apart, sites.caller()))


def _round_trip(apart: float, site: Site | None) -> RoundTrip:
    return RoundTrip(
        rank=rank(),
        kind="own",
        missing=(),
        unexpected=(),
        reshaped=(),
        rename="",
        output_difference=apart,
        next_loss_difference=None,
        lost=("what the state dict does not hold (plain attributes, options of the constructor)",) if apart else (),
        unsafe="",
        site=site,
    )


def _states(tree: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    """State dicts in nested mappings, with the keys that lead to them."""
    if not isinstance(tree, Mapping) or len(place) > MOST_DEPTH:
        return
    if tree and all(isinstance(value, torch.Tensor) for value in tree.values()):
        yield place, tree
        return
    for key, value in tree.items():
        yield from _states(value, (*place, str(key)))


def _is_of(state: Mapping[str, Any], module: torch.nn.Module) -> bool:
    own = module.state_dict()
    return own.keys() == state.keys() and all(own[name].data_ptr() == state[name].data_ptr() for name in own)


def _answer(module: torch.nn.Module, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> torch.Tensor | None:
    """In eval mode, with every layer's own mode put back. None where it cannot be asked."""
    modes = {child: child.training for child in module.modules()}
    try:
        with torch.random.fork_rng(), torch.no_grad():
            made = module.eval()(*arguments, **keywords)
    except Exception:  # noqa: BLE001  # whatever it raises, the question could not be put
        return None
    finally:
        for child, mode in modes.items():
            child.training = mode
    found = next((tensor for tensor in reading.tensors_in(made) if tensor.is_floating_point()), None)
    return None if found is None else found.detach().double().clone()


def install(observer: Observer) -> None:
    reloading = Reloading(observer)
    shielded = functools.partial(observer.shielded, "reloading")
    saving, loading, loaded = shielded(reloading.saving), shielded(reloading.loading), shielded(reloading.loaded)
    save, load, put = torch.save, torch.load, torch.nn.Module.load_state_dict

    @functools.wraps(save)
    def saved(obj: Any, f: Any, *arguments: Any, **options: Any) -> None:
        save(obj, f, *arguments, **options)
        if isinstance(f, str | os.PathLike):
            saving(obj, str(Path(f).absolute()))

    @functools.wraps(load)
    def read(f: Any, *arguments: Any, **options: Any) -> Any:
        found = load(f, *arguments, **options)
        if isinstance(f, str | os.PathLike):
            loading(found, str(Path(f).absolute()))
        return found

    @functools.wraps(put)
    def putting(self: torch.nn.Module, state_dict: Any, *arguments: Any, **options: Any) -> Any:
        found = put(self, state_dict, *arguments, **options)
        if not observer.reading:
            loaded(self, state_dict)
        return found

    torch.save, torch.load = saved, read
    torch.nn.Module.load_state_dict = putting  # type: ignore[method-assign]
    observer.moments.model_returned.append(shielded(reloading.returned))
