"""Trained models called without gradients: whether they were in train mode, phase by phase.

A phase is what an evaluation looks like: several calls in a row on different batches, or one on far more examples than
a training batch. Single calls between steps (acting, pseudo-labels, sampling) are none.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import rank
from firstlight.observe.inside.taps.models import Call, Models, Root, acts_by_mode
from firstlight.records.places import Site
from firstlight.records.training import EvaluationSeen

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.dropping import DroppingTap

PHASE_CALLS = 3
LARGE = 2
"""A single call on so many training batches is a whole validation set."""
LEAST_STEPS = 3
"""Phases closer than this are a part of the training itself."""


@dataclass
class Count:
    in_eval: bool = False
    phases: int = 0
    crowded: int = 0
    site: Site | None = None
    batch: int = 0
    """Rows of the largest training batch."""
    run: int = 0
    counted: bool = False
    last_step: int = 0
    pointer: int = 0


class Evaluations:
    def __init__(self, observer: "Observer", models: Models, dropping: "DroppingTap | None" = None) -> None:
        self.observer, self.models, self.dropping = observer, models, dropping
        self.counts: dict[int, Count] = {}

    def returned(self, call: Call) -> None:
        root = self.models.roots.get(id(call.module))
        if root is None or root.ref() is not call.module:
            return
        count = self.counts.setdefault(root.index, Count())
        count.in_eval = count.in_eval or not call.module.training
        first = next((t for t in call.inputs if t.ndim and reading.readable(t)), None)
        if call.training:
            count.run, count.counted, count.pointer = 0, False, 0
            count.batch = max(count.batch, len(first) if first is not None else 0)
        elif first is not None and count.batch and root.backwards and not count.in_eval:
            self._without_gradients(call.module, first, count)

    def _without_gradients(self, module: torch.nn.Module, given: torch.Tensor, count: Count) -> None:
        """One example at a time is acting; the same input again and again is sampling the dropout."""
        if len(given) == 1:
            return
        if given.data_ptr() == count.pointer:
            if count.counted and count.run == 1:
                count.phases, count.run = count.phases - 1, 0
            return
        count.pointer = given.data_ptr()
        count.run += 1
        if is_noisy(module):
            count.site = count.site or sites.caller()
        if not count.counted and (count.run >= PHASE_CALLS or len(given) >= LARGE * count.batch):
            count.counted = True
            self._phase(module, count)

    def _phase(self, module: torch.nn.Module, count: Count) -> None:
        if self.observer.step - count.last_step < LEAST_STEPS:
            count.crowded += 1
        count.last_step = self.observer.step
        if is_noisy(module):
            count.phases += 1

    def tell(self) -> None:
        trained = [root for root in self.models.roots.values() if root.backwards]
        for root in trained:
            count = self.counts.get(root.index)
            if count is not None and (count.site or count.in_eval):
                self.observer.emit(self._record(root, count, alone=len(trained) == 1))

    def _record(self, root: Root, count: Count, alone: bool) -> EvaluationSeen:
        return EvaluationSeen(
            step=self.observer.step,
            rank=rank(),
            model=root.index,
            name=root.name,
            site=count.site,
            phases=count.phases,
            crowded=count.crowded,
            in_eval=count.in_eval,
            alone=alone,
            dropping=None if self.dropping is None else self.dropping.seen(root.index),
        )


def is_noisy(module: torch.nn.Module) -> bool:
    """Some layer of it behaves otherwise than it would in eval mode."""
    return any(child.training and acts_by_mode(child) for child in module.modules())


def install(observer: "Observer", models: Models, dropping: "DroppingTap | None") -> None:
    evaluations = Evaluations(observer, models, dropping)
    observer.moments.model_returned.append(observer.shielded("evaluations", evaluations.returned))
    observer.moments.milestone.append(observer.shielded("evaluations", evaluations.tell))
