"""States that were loaded into a model: are they still what it holds when it is next called?"""

import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Call
from firstlight.records.places import Site
from firstlight.records.restored import Reused

MOST_KEPT = 8
MOST_TENSORS = 64
MOST_ELEMENTS = 2048
LIKE = 0.5
"""Cosine with what was loaded, below which a tensor holds something else; rounding and pruning stay above 0.9."""


@dataclass
class _Loaded:
    module: "weakref.ref[torch.nn.Module]"
    site: Site | None
    step: int
    parts: dict[str, torch.Tensor]
    """The first elements of each parameter, as they were loaded."""


class Reuse:
    def __init__(self, observer: Observer) -> None:
        self.observer = observer
        self._loaded: list[_Loaded] = []

    def loaded(self, module: torch.nn.Module, given: Mapping[str, Any]) -> None:
        """A state that is loaded over another one takes its place."""
        kept = [one for one in self._loaded if one.module() not in (None, module)]
        parts = {name: part for name, part in _parts(module).items() if name in given}
        found = _Loaded(weakref.ref(module), sites.caller(), self.observer.step, parts)
        self._loaded = [*kept[1 - MOST_KEPT :], found] if parts else kept

    def returned(self, call: Call) -> None:
        if not self._loaded:
            return
        within = set(map(id, call.module.modules()))
        waiting, self._loaded = self._loaded, []
        for one in waiting:
            module = one.module()
            if module is None or one.step != self.observer.step:
                continue
            if id(module) in within:
                self._tell(module, one)
            else:
                self._loaded.append(one)

    def _tell(self, module: torch.nn.Module, one: _Loaded) -> None:
        now = _parts(module)
        changed = [name for name, part in one.parts.items() if name in now and not _is_like(part, now[name])]
        self.observer.emit(
            Reused(
                module=type(module).__name__,
                site=one.site,
                called=sites.caller(),
                tensors=len(one.parts),
                changed=len(changed),
                first_changed=changed[0] if changed else "",
            )
        )


def _parts(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Of parameters spread over the whole module."""
    every = [(name, p) for name, p in module.named_parameters() if reading.readable(p) and p.numel()]
    chosen = every[:: max(1, -(-len(every) // MOST_TENSORS))]
    return {name: p.detach().reshape(-1)[:MOST_ELEMENTS].to("cpu", torch.float64, copy=True) for name, p in chosen}


def _is_like(one: torch.Tensor, other: torch.Tensor) -> bool:
    if torch.equal(one, other):
        return True
    if one.shape != other.shape:
        return False
    lengths = float(one.norm() * other.norm())
    return lengths > 0 and float(one @ other) >= LIKE * lengths
