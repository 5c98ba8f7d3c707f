"""What the guard hears through the process-wide taps, handed to the optimizer it is about."""

import dataclasses
import math
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from firstlight.facts.live.turning import Origin
from firstlight.guard.tracing import origin_of
from firstlight.guard.watch import MOST_LOSSES
from firstlight.observe.inside.graph import negated_loss

if TYPE_CHECKING:
    from firstlight.guard.attach import Guard


class Hearing:
    def __init__(self, guard: "Guard") -> None:
        self._guard = guard
        self._recent: deque[torch.Tensor] = deque(maxlen=MOST_LOSSES)
        self._steps: dict[int, int] = {}
        """Steps of each optimizer when its scaler last stepped it."""
        self.backward_begins = guard.shield("losses", self._waking)
        self.backward_ended = self._attentive(guard.shield("gradients that pile up", self._backward_ended))
        self._signed_upto = 0
        """Optimizers whose loss was asked for its sign."""
        self._read_sign = guard.shield("the sign of the loss", self._signed)
        self._trace = guard.shield("tracing a bad loss", self._traced)
        self.clipped = self._attentive(guard.shield("clipping", self._clipped))
        self.clip = guard.shield("clipping", self._clip)
        self.scaled = self._attentive(guard.shield("loss scaling", self._scaled))
        self.scaler_stepped = guard.shield("loss scaling", self._scaler_stepped)
        self.batch_came = guard.shield("batches", self._batch_came)

    def _attentive(self, listener: Callable[..., None]) -> Callable[..., None]:
        """Deaf while a step is not looked at."""

        def hear(*arguments: Any) -> None:
            if self._guard.attentive:
                listener(*arguments)

        return hear

    def _waking(self, root: torch.Tensor) -> None:
        """A bad loss wakes the guard for this very step, before the weights move. On the host asking costs nothing."""
        guard, loss = self._guard, root.detach()
        if guard.models and not guard.watches:
            guard.telling.without_optimizer()
        bad = root.device.type == "cpu" and not math.isfinite(loss.item())
        guard.attentive |= bad
        if not guard.attentive:
            return
        if bad and not guard.judge.over:
            self._trace(root)
        if self._signed_upto < len(guard.watches):
            self._read_sign(root)
        self._backward_begins(loss)

    def _signed(self, root: torch.Tensor) -> None:
        """Once for each optimizer: a program does not change the sign of its loss on the way."""
        for watch in self._guard.watches[self._signed_upto :]:
            self._guard.judge.windows.negated(watch.index, negated_loss(root))
        self._signed_upto = len(self._guard.watches)

    def _traced(self, root: torch.Tensor) -> None:
        fed, holding = self._guard.batches.bad_values()
        for watch in self._guard.watches:
            origin = origin_of(root, watch.subjects.by_identity()) or Origin(None, "")
            watch.origin = dataclasses.replace(origin, fed=fed or origin.fed, holding=holding)

    def _backward_ended(self) -> None:
        for watch in self._guard.watches:
            watch.backward_ended()

    def _backward_begins(self, loss: torch.Tensor) -> None:
        """It drives the optimizer that steps next; several that step in a row share it."""
        self._recent.append(loss)
        self._guard.looks.backward_begins(loss)
        for watch in self._guard.watches:
            watch.losses.append(loss)
            watch.backward_begins()
        self._guard.tell(self._guard.moments.backward_begins, loss)

    def recent(self) -> list[torch.Tensor]:
        return list(self._recent)

    def step_ended(self) -> None:
        self._recent.clear()

    def _clipped(self, parameters: list[torch.Tensor], max_norm: float, norm: torch.Tensor) -> None:
        if hasattr(norm, "full_tensor"):  # of parameters in parts; all ranks clip, so all are here
            norm = norm.full_tensor()
        first = {id(parameter) for parameter in parameters[:4]}
        for watch in self._guard.watches:
            if first & {id(parameter) for parameter in watch.subjects.parameters}:
                watch.clips = (max_norm, norm)

    def _clip(self, parameters: list[torch.Tensor], max_norm: float) -> torch.Tensor | None:
        watches = self._guard.watches if self._guard.attentive else []
        return next((norm for watch in watches if (norm := watch.clip(parameters, max_norm)) is not None), None)

    def _scaled(self, scaler: Any) -> None:
        if scaler not in self._guard.scalers:
            self._guard.scalers.append(scaler)
        for watch in self._guard.watches:
            watch.scale = scaler._scale

    def _scaler_stepped(self, _scaler: Any, optimizer: torch.optim.Optimizer) -> None:
        """An optimizer whose step was left out never runs its hooks."""
        for watch in self._guard.watches:
            if watch.optimizer is optimizer:
                if self._steps.get(watch.index, 0) == watch.step:
                    watch.skips()
                    self.step_ended()
                    self._guard.steps.judge()
                self._steps[watch.index] = watch.step

    def _batch_came(self, batch: Any, seconds: float) -> None:
        guard = self._guard
        if guard.attentive:
            guard.batches.came(batch, seconds)
        guard.tell(guard.moments.batch_came, batch)
