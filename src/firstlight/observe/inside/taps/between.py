"""What happens to weights after one step of an optimizer and before its next: nothing, in most programs."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import rank
from firstlight.records.inner import Touched

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Models
    from firstlight.observe.inside.taps.optimizers import Optimizers

MOST_TENSORS = 4
MOST_ELEMENTS = 1 << 16
"""Of a tensor that is followed: a copy of each is held and compared at every step."""
MOST_TOLD = 200
Left = list[tuple[torch.Tensor, torch.Tensor]]


@dataclass
class Followed:
    left: Left = field(default_factory=list)
    """Tensors, and what the last step left in them; while a step is made, what it found in them."""
    own: float = 0.0
    """How far the last step moved them, over their size."""
    told: int = 0


class Between:
    def __init__(self, observer: "Observer", models: "Models", optimizers: "Optimizers") -> None:
        self.observer, self.models, self.optimizers = observer, models, optimizers
        self._followed: dict[int, Followed] = {}

    def step_begins(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        followed = self._followed.setdefault(id(optimizer), Followed())
        found = [(p, was, reading.values_of(p)) for p, was in followed.left]
        touched = [one for one in found if not torch.equal(one[1], one[2])]
        if touched and followed.told < MOST_TOLD:
            followed.told += 1
            self._tell(optimizer, followed, touched)
        kept = [p for p, _ in followed.left] or some_of(self.optimizers.of(optimizer).parameters)
        followed.left = [(p, reading.values_of(p).clone()) for p in kept]

    def step_ended(self, optimizer: torch.optim.Optimizer, *_: Any) -> None:
        followed = self._followed.get(id(optimizer))
        if followed is None or not followed.left:
            return
        now = [(p, reading.values_of(p).clone()) for p, _ in followed.left]
        followed.own = _median([_change(was, after) for (_, was), (_, after) in zip(followed.left, now, strict=True)])
        followed.left = now

    def _tell(
        self,
        optimizer: torch.optim.Optimizer,
        followed: Followed,
        touched: list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]],
    ) -> None:
        held = self.optimizers.of(optimizer)
        names = {id(p): name for root in self.models.live() for name, p in root.parameters}
        self.observer.emit(
            Touched(
                step=held.steps,
                rank=rank(),
                optimizer=held.index,
                name=held.name,
                built=held.site,
                tensor=names.get(id(touched[0][0]), "a parameter"),
                change=_median([_change(was, now) for _, was, now in touched]),
                likeness=_median([_likeness(was, now) for _, was, now in touched]),
                ratio=_median([float(now.norm() / was.norm()) for _, was, now in touched]),
                own=followed.own,
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


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def install(observer: "Observer", models: "Models", optimizers: "Optimizers") -> None:
    between = Between(observer, models, optimizers)
    observer.moments.step_begins.append(observer.shielded("between steps", between.step_begins))
    observer.moments.step_ended.append(observer.shielded("between steps", between.step_ended))
