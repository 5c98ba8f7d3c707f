"""What happens to weights after one step of an optimizer and before its next: nothing, in most programs."""

from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.identity import ByIdentity
from firstlight.observe.inside.observer import Observer, rank
from firstlight.observe.inside.taps.models import Models
from firstlight.observe.inside.taps.optimizers import Optimizers
from firstlight.records.inner import Touched

MOST_TENSORS = 4
MOST_ELEMENTS = 1 << 16
"""Of a tensor that is followed: a copy of each is held and compared at every step."""
MOST_TOLD = 200
NARROW = (torch.float8_e5m2, torch.float8_e4m3fn, torch.bfloat16, torch.float16)
MOST_LEVELS = 256
"""Different values of a tensor that is kept in eight bits, on whatever grid."""
SAMPLED = 4096
"""Elements among which they are counted."""
Left = list[tuple[torch.Tensor, torch.Tensor]]


@dataclass
class Followed:
    left: Left = field(default_factory=list)
    """Tensors, and what the last step left in them."""
    found: list[torch.Tensor] = field(default_factory=list)
    """What it had found in them."""
    own: float = 0.0
    """How far the last step moved them, over their size."""
    told: int = 0
    first: list[torch.Tensor] = field(default_factory=list)
    """What the first step found in them."""


@dataclass
class Change:
    """One tensor: what the first step found, what the last one found and left, and what is there before the next."""

    tensor: torch.Tensor
    first: torch.Tensor
    found: torch.Tensor
    left: torch.Tensor
    now: torch.Tensor


class Between:
    def __init__(self, observer: Observer, models: Models, optimizers: Optimizers) -> None:
        self.observer, self.models, self.optimizers = observer, models, optimizers
        self._followed: ByIdentity[Followed] = ByIdentity()

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        followed = self._followed.get(optimizer, None) or Followed()
        self._followed[optimizer] = followed
        known = zip(followed.left, followed.first, followed.found, strict=True)
        found = [Change(p, first, before, was, reading.values_of(p)) for (p, was), first, before in known]
        touched = [one for one in found if not torch.equal(one.left, one.now)]
        if touched and followed.told < MOST_TOLD:
            followed.told += 1
            self._tell(optimizer, followed, touched)
        kept = [p for p, _ in followed.left] or some_of(self.optimizers.of(optimizer).parameters)
        followed.left = [(p, reading.values_of(p).clone()) for p in kept]
        followed.found = [was for _, was in followed.left]
        followed.first = followed.first or followed.found

    def step_ended(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        followed = self._followed.get(optimizer, None)
        if followed is None or not followed.left:
            return
        followed.left = [(p, reading.values_of(p).clone()) for p, _ in followed.left]
        moves = zip(followed.found, followed.left, strict=True)
        followed.own = _median([_change(was, after) for was, (_, after) in moves])

    def _tell(self, optimizer: torch.optim.Optimizer, followed: Followed, touched: list[Change]) -> None:
        held = self.optimizers.of(optimizer)
        names = {id(p): name for root in self.models.live() for name, p in root.parameters}
        self.observer.emit(
            Touched(
                step=held.steps,
                rank=rank(),
                optimizer=held.index,
                name=held.name,
                built=held.site,
                tensor=names.get(id(touched[0].tensor), "a parameter"),
                change=_median([_change(one.left, one.now) for one in touched]),
                likeness=_median([_likeness(one.left, one.now) for one in touched]),
                ratio=_median([float(one.now.norm() / one.left.norm()) for one in touched]),
                own=followed.own,
                undone=_median([_undone(one) for one in touched]),
                format=min(_format(one) for one in touched),
                restored=all(torch.equal(one.now, one.first) for one in touched),
                limit=_median([_limit(one) for one in touched]),
                bounded=_median([_bounded(one) for one in touched]),
                beyond=_median([float((one.first.abs() >= _limit(one)).float().mean()) for one in touched]),
            )
        )


def some_of(parameters: list[torch.Tensor]) -> list[torch.Tensor]:
    """Matrices: biases begin at zero, and have no size to compare with."""
    known = [p for p in parameters if p.ndim > 1 and 0 < p.numel() <= MOST_ELEMENTS and reading.readable(p) and p.any()]
    return known[:: max(1, len(known) // MOST_TENSORS)][:MOST_TENSORS]


def _change(was: torch.Tensor, now: torch.Tensor) -> float:
    return float((now.float() - was.float()).norm() / was.float().norm())


def _likeness(was: torch.Tensor, now: torch.Tensor) -> float:
    return float(torch.nn.functional.cosine_similarity(was.float().flatten(), now.float().flatten(), dim=0))


def _undone(change: Change) -> float:
    moved = change.left != change.found
    return float((moved & (change.now == change.found)).sum() / moved.sum().clamp_min(1))


def _limit(change: Change) -> float:
    return float(change.now.abs().max())


def _bounded(change: Change) -> float:
    """Of what was cut down to the largest size there is, and of what stood there, the share among all elements."""
    cut = (change.now.abs() == change.now.abs().max()) & (change.left.abs() >= change.now.abs())
    return float(cut.float().mean()) if bool((change.left.abs() > change.now.abs()).any()) else 0.0


def _format(change: Change) -> str:
    """Narrow formats first; "" sorts before them all, so that one tensor that was not rounded clears the others."""
    for dtype in NARROW:
        if _fits(change.now, dtype) and not _fits(change.left, dtype):
            return str(dtype).removeprefix("torch.")
    now, left = (len(values.flatten()[:SAMPLED].unique()) for values in (change.now, change.left))
    return "eight bits" if now <= MOST_LEVELS < left else ""


def _fits(values: torch.Tensor, dtype: torch.dtype) -> bool:
    return torch.equal(values.to(dtype).to(values.dtype), values)


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def install(observer: Observer, models: Models, optimizers: Optimizers) -> None:
    between = Between(observer, models, optimizers)
    observer.moments.step_begins.append(observer.shielded("between steps", between.step_begins))
    observer.moments.step_ended.append(observer.shielded("between steps", between.step_ended))
