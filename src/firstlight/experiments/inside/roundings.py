"""Running sums and averages in half precision: does what is added to them get lost in rounding?

Whatever a line of the program does in place to such a tensor is done to a part of it in full precision as well, from
the first update on, and rounded once, at the end. Where the two come apart by most of the way that they should have
gone, the updates are too small for the numbers that they are added to. The same is done to a second part that began
elsewhere: how fast it comes to the first says which share of the way to what it averages an update goes. What anybody
else writes, or new values at the same place, begin a new life.
"""

import functools
import math
import statistics
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.experiments.inside.copies import MOST_ELEMENTS
from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer, rank
from firstlight.records.places import Site
from firstlight.records.rounded import RoundedAway

HALF = (torch.float16, torch.bfloat16)
METHODS = """lerp_ add_ sub_ mul_ div_ addcmul_ addcdiv_ __iadd__ __isub__ __imul__ __itruediv__""".split()
MOST_TENSORS = 64
LEAST_STEPS = 2
"""At which it is updated: what is made anew for each step keeps nothing."""
AVERAGES = 1e-4
"""Of the way that an update goes, at the least: less is a sum, as far as numbers of full precision can tell."""
LEAST = 1e-12


@dataclass
class _Updated:
    """Of one tensor, the first elements."""

    last: torch.Tensor
    began: torch.Tensor
    exact: torch.Tensor
    beside: torch.Tensor
    """The same by updates, begun one away from it."""
    site: Site | None
    operation: str
    updates: int = 0
    steps: set[int] = field(default_factory=set)

    def rounded(self) -> torch.Tensor:
        return self.exact.to(self.last.dtype).float()

    def share(self) -> float:
        """Of the way to what it averages, with each update; 0 for a sum."""
        left = float((self.beside - self.exact).double().median())
        found = 1 - math.pow(left, 1 / self.updates) if 0 < left < 1 else 0.0
        return found if found >= AVERAGES else 0.0


@dataclass
class Roundings:
    observer: Observer
    _kept: dict[tuple[int | None, torch.Size], _Updated] = field(default_factory=dict)

    def updated(
        self, name: str, tensor: torch.Tensor, before: torch.Tensor, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> None:
        key = reading.place(tensor), tensor.shape
        kept = self._kept.get(key)
        if kept is None or not torch.equal(kept.last, before):
            self._kept.pop(key, None)
            if not self._has_room():
                return
            whole = before.float()
            kept = _Updated(before, whole, whole.clone(), whole + 1, sites.caller(), name)
        given = [_part(one, tensor.shape) for one in arguments]
        named = {key: _part(one, tensor.shape) for key, one in options.items()}
        if any(one is None for one in (*given, *named.values())):
            self._kept.pop(key, None)
            return
        for exact in (kept.exact, kept.beside):
            getattr(exact, name)(*given, **named)
        kept.last, kept.updates = part(tensor), kept.updates + 1
        kept.steps.add(self.observer.step)
        self._kept[key] = kept

    def _has_room(self) -> bool:
        """What was made for one step makes room."""
        if len(self._kept) >= MOST_TENSORS:
            step = self.observer.step
            self._kept = {key: one for key, one in self._kept.items() if len(one.steps) > 1 or step in one.steps}
        return len(self._kept) < MOST_TENSORS

    def seen(self) -> Iterator[RoundedAway]:
        lines: dict[Any, list[_Updated]] = {}
        for kept in self._kept.values():
            if len(kept.steps) >= LEAST_STEPS:
                lines.setdefault((kept.site, kept.operation, kept.last.dtype), []).append(kept)
        for (site, operation, dtype), tensors in lines.items():
            way = _size(one.rounded() - one.began for one in tensors)
            share = statistics.median(one.share() for one in tensors)
            yield RoundedAway(
                step=self.observer.step,
                rank=rank(),
                site=site,
                operation=operation,
                dtype=str(dtype).removeprefix("torch."),
                tensors=len(tensors),
                updates=max(one.updates for one in tensors),
                moved=way / max(LEAST, _size(one.began for one in tensors)),
                missed=_size(one.rounded() - one.last.float() for one in tensors) / max(LEAST, way),
                nearest=torch.finfo(dtype).eps / 2 / share if share else None,
            )


def part(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().reshape(-1)[:MOST_ELEMENTS].to("cpu", copy=True)


def _part(given: Any, shape: torch.Size) -> Any:
    """Of what an update is made of, in full precision; None where it has another shape, and is spread over all."""
    if not isinstance(given, torch.Tensor):
        return given
    if given.shape != shape and given.numel() != 1:
        return None
    return part(given).float() if given.shape == shape else given.detach().cpu().float().reshape(())


def _size(parts: Iterator[torch.Tensor]) -> float:
    return reading.length(reading.norms(list(parts)))


def install(observer: Observer) -> Roundings:
    roundings = Roundings(observer)
    kind: Any = torch.Tensor
    for name in METHODS:
        setattr(kind, name, _following(getattr(kind, name), name, observer, roundings))
    return roundings


def _following(original: Any, name: str, observer: Observer, roundings: Roundings) -> Callable[..., Any]:
    updated = observer.shielded("roundings", roundings.updated)

    @functools.wraps(original)
    def method(self: Any, *arguments: Any, **options: Any) -> Any:
        if self.dtype not in HALF or not _is_followed(self, observer) or not _is_users(sys._getframe(1)):
            return original(self, *arguments, **options)
        with torch.no_grad():
            before = part(self)
        found = original(self, *arguments, **options)
        with torch.no_grad():
            updated(name, self, before, arguments, options)
        return found

    return method


def _is_followed(tensor: torch.Tensor, observer: Observer) -> bool:
    """Kept beside the training, with values: a part of a graph is made anew in each step."""
    return not observer.reading and reading.readable(tensor) and tensor.grad_fn is None and tensor.numel() > 0


def _is_users(frame: Any) -> bool:
    return sites.is_users(frame.f_code.co_filename)
