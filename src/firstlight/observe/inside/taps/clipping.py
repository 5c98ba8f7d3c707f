"""Gradient clipping and loss scaling: in which order they come between backward and step."""

import functools
from collections import Counter
from typing import Any

import torch

from firstlight.observe.inside import reading, sites
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.optimizers import Held, Optimizers
from firstlight.records.places import Site
from firstlight.records.training import ClipSeen

MOST_CLIPS_A_SITE = 30


class Clipping:
    def __init__(self, observer: Observer, optimizers: Optimizers) -> None:
        self.observer, self.optimizers = observer, optimizers
        self.unscaled: set[int] = set()
        """Optimizers whose gradients were unscaled since the last backward."""
        self._clips: Counter[Site | None] = Counter()

    def clipped(self, parameters: list[torch.Tensor], max_norm: Any, norm: Any) -> None:
        site = sites.caller(2)
        self._clips[site] += 1
        if self._clips[site] > MOST_CLIPS_A_SITE:
            return
        held = self._owner(parameters)
        self.observer.emit(
            ClipSeen(
                site=site,
                max_norm=float(max_norm),
                norm=reading.number(norm) if isinstance(norm, torch.Tensor) else float(norm),
                fresh=held is None or held.steps == 0 or held.backwards > 0 or not held.ever_got_gradients,
                scaled=self.observer.scale != 1.0 and not self.unscaled,
            )
        )

    def _owner(self, parameters: list[torch.Tensor]) -> Held | None:
        first = {id(parameter) for parameter in parameters[:4]}
        for held in self.optimizers.held.values():
            if first & {id(parameter) for parameter in held.parameters}:
                return held
        return None

    def backward_begins(self, *_: Any) -> None:
        self.unscaled.clear()


def _wrap_clip(clipping: Clipping, observer: Observer) -> None:
    original = torch.nn.utils.clip_grad_norm_
    clipped = observer.shielded("clipping", clipping.clipped)

    @functools.wraps(original)
    def clip(parameters: Any, max_norm: Any, *arguments: Any, **keywords: Any) -> Any:
        if not observer.clips:
            max_norm = float("inf")
        several = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        norm = original(several, max_norm, *arguments, **keywords)
        if not torch.compiler.is_compiling():
            clipped(several, max_norm, norm)
        return norm

    torch.nn.utils.clip_grad_norm_ = clip
    torch.nn.utils.clip_grad.clip_grad_norm_ = clip


def _wrap_scaler(clipping: Clipping, observer: Observer) -> None:
    scaler = torch.amp.GradScaler
    scale, unscale = scaler.scale, scaler.unscale_

    @functools.wraps(scale)
    def scaled(self: Any, outputs: Any) -> Any:
        found = scale(self, outputs)
        observer.scale = float(self.get_scale()) if self.is_enabled() else 1.0
        return found

    @functools.wraps(unscale)
    def unscaled(self: Any, optimizer: torch.optim.Optimizer) -> None:
        unscale(self, optimizer)
        clipping.unscaled.add(id(optimizer))

    scaler.scale, scaler.unscale_ = scaled, unscaled  # type: ignore[method-assign]


def install(observer: Observer, optimizers: Optimizers) -> None:
    clipping = Clipping(observer, optimizers)
    _wrap_clip(clipping, observer)
    _wrap_scaler(clipping, observer)
    observer.moments.backward_begins.append(observer.shielded("clipping", clipping.backward_begins))
