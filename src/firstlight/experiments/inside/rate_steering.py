"""Steers learning rates to values of their own: a ramp through many, or one that is held whatever a schedule does.

Groups keep their ratios: the first group gets the rate that is asked for, the others as much more or less as the
program gives them. What a scheduler left is put back after each step, so that it goes on as if nothing had happened.
"""

import math
from collections.abc import Callable
from typing import Any

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.observer import Observer
from firstlight.records.steered import GroupRate, RatesSeen

Schedule = Callable[[int], float]
"""The rate of the first group, by the steps the optimizer has made."""
SMOOTHING = 0.9
"""Of the losses by which a ramp knows that it has diverged."""
DIVERGED = 3.0
"""Times the loss, or what was gained of it, by which the smoothed loss may exceed its best."""
LEAST_STEPS = 10


def ramp(observer: Observer, value: str) -> None:
    """`LOW:HIGH:STEPS`: the rate grows exponentially; the copy ends where its loss diverges."""
    low, high, steps = map(float, value.split(":"))

    def rate(step: int) -> float:
        return low * math.pow(high / low, min(1.0, step / max(1.0, steps - 1)))

    _hold(observer, rate)
    _stop_at_divergence(observer)


def held(observer: Observer, value: str) -> None:
    """`RATE` or `RATE:WARM`: constant, after as many steps of linear warm-up."""
    words = value.split(":")
    constant, warm = float(words[0]), int(words[1]) if len(words) > 1 else 0

    def rate(step: int) -> float:
        return constant * min(1.0, (step + 1) / (warm + 1))

    _hold(observer, rate)


def nominal(group: dict[str, Any]) -> float | None:
    """The rate a program means: where a schedule moves it, its peak as far as the group tells."""
    known = [group[key] for key in ("max_lr", "initial_lr", "lr") if group.get(key) is not None]
    return float(known[0]) if known else None


def _hold(observer: Observer, rate: Schedule) -> None:
    steps: dict[int, int] = {}
    meant: dict[int, list[float | None]] = {}
    kept: dict[int, list[Any]] = {}

    def begin(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        groups = optimizer.param_groups
        if id(optimizer) not in meant:
            meant[id(optimizer)] = [nominal(group) for group in groups]
            _tell(observer, optimizer, meant[id(optimizer)])
        wanted = rate(steps.setdefault(id(optimizer), 0))
        kept[id(optimizer)] = [group.get("lr") for group in groups]
        for group, factor in zip(groups, _ratios(meant[id(optimizer)], len(groups)), strict=True):
            if factor is not None:
                group["lr"] = _like(group["lr"], wanted * factor)

    def end(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        steps[id(optimizer)] = steps.get(id(optimizer), 0) + 1
        for group, before in zip(optimizer.param_groups, kept.pop(id(optimizer), []), strict=False):
            if before is not None:
                group["lr"] = before

    observer.moments.step_begins.append(begin)
    observer.moments.step_ended.append(end)  # last: what is seen of the step has the rate it was made with


def _ratios(meant: list[float | None], groups: int) -> list[float | None]:
    """Against the first group that has a rate; a group that was added later gets that of the first."""
    first = next((rate for rate in meant if rate), None)
    found = [None if rate is None else rate / first if first else 1.0 for rate in meant]
    return [*found, *[1.0] * (groups - len(found))]


def _like(before: Any, rate: float) -> Any:
    """A capturable optimizer keeps its rate in a tensor."""
    return torch.full_like(before, rate) if isinstance(before, torch.Tensor) else rate


def _tell(observer: Observer, optimizer: torch.optim.Optimizer, meant: list[float | None]) -> None:
    found = tuple(
        GroupRate(rate=rate, tensors=len(group["params"]), elements=sum(p.numel() for p in group["params"]))
        for rate, group in zip(meant, optimizer.param_groups, strict=True)
        if rate is not None
    )
    observer.emit(RatesSeen(optimizer=type(optimizer).__name__, groups=found))


def _stop_at_divergence(observer: Observer) -> None:
    """A loss may be negative, so that no multiple of it tells: what counts is how far it is above its best."""
    smooth: list[float] = []
    best: list[float] = []
    first: list[float] = []

    def look(root: torch.Tensor, *_: Any) -> None:
        if root.numel() != 1 or not reading.readable(root):
            return
        loss = reading.number(root) / observer.scale
        smooth.append(loss if not smooth else SMOOTHING * smooth[-1] + (1 - SMOOTHING) * loss)
        first[:] = first or [loss]
        best[:] = [min(best[0], smooth[-1])] if best else [smooth[-1]]

    def judge(*_: Any) -> None:
        if not smooth or (observer.step < LEAST_STEPS and math.isfinite(smooth[-1])):
            return
        room = DIVERGED * max(abs(best[0]), abs(first[0] - best[0]))
        if not smooth[-1] - best[0] <= room:
            observer.stop("diverged")

    observer.moments.backward_begins.append(look)
    observer.moments.next_step.append(judge)
