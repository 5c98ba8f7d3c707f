"""Steers the optimizers: their rates, their settings, what they clear and what they hold."""

from collections.abc import Callable
from typing import Any

import torch

from firstlight.observe.inside import graph, reading
from firstlight.observe.inside.observer import Observer

WARM_UP_STEPS = 30
USUAL = {"betas": (0.9, 0.999), "eps": 1e-8, "momentum": 0.9, "dampening": 0.0, "nesterov": False, "alpha": 0.99}
"""The defaults of torch's optimizers, with the momentum that most programs give SGD."""


def scale_lr(observer: Observer, value: str) -> None:
    factor = float(value)
    _set_rates(observer, lambda rates: [rate * factor for rate in rates])


def even_rates(observer: "Observer", _value: str) -> None:
    """Every group at the highest rate of all."""
    _set_rates(observer, lambda rates: [max(rates)] * len(rates))


def _set_rates(observer: "Observer", wanted: Callable[[list[Any]], list[Any]]) -> None:
    """For the length of each step: what a schedule makes of the rates is left alone."""
    kept: dict[int, list[Any]] = {}

    def change(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        kept[id(optimizer)] = [group["lr"] for group in optimizer.param_groups]
        for group, rate in zip(optimizer.param_groups, wanted(kept[id(optimizer)]), strict=True):
            group["lr"] = rate

    def put_back(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group, lr in zip(optimizer.param_groups, kept.pop(id(optimizer)), strict=True):
            group["lr"] = lr

    observer.moments.step_begins.append(change)
    observer.moments.step_ended.insert(0, put_back)


def constant_lr(observer: Observer, _value: str) -> None:
    def hold(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            group["lr"] = group.get("initial_lr", group["lr"])

    observer.moments.step_begins.append(hold)


def clear_gradients(observer: Observer, _value: str) -> None:
    observer.moments.step_ended.append(clear)


def clear(optimizer: torch.optim.Optimizer, *_: Any) -> None:
    """By hand: in the program that needs it, `zero_grad` may not do what it says."""
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            parameter.grad = None


def no_decay(observer: Observer, _value: str) -> None:
    def drop(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            if "weight_decay" in group:
                group["weight_decay"] = 0.0

    observer.moments.step_begins.append(drop)


def optimize_all(observer: Observer, _value: str) -> None:
    """Every parameter behind the loss that no optimizer holds joins the first one that steps."""
    reached: list[torch.Tensor] = []

    def collect(root: torch.Tensor, *_: Any) -> None:
        if not reached:
            found = (getattr(node, "variable", None) for node in graph.nodes_behind(root))
            reached.extend(leaf for leaf in found if isinstance(leaf, torch.nn.Parameter) and leaf.requires_grad)

    def join(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = {id(p) for entry in observer.optimizers() for p in entry.parameters}
        missing = [p for p in reached if id(p) not in held]
        if missing:
            optimizer.add_param_group({"params": missing})

    observer.moments.backward_begins.append(collect)
    observer.moments.step_begins.insert(0, join)


def usual_settings(observer: Observer, _value: str) -> None:
    """Momentum, betas and epsilon as most programs have them; an optimizer without momentum is left without."""

    def settle(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            for key in USUAL.keys() & group.keys():
                if key != "momentum" or group[key]:
                    group[key] = USUAL[key]

    observer.moments.step_begins.insert(0, settle)


def warm_up(observer: Observer, _value: str) -> None:
    """The rate grows linearly from a thirtieth."""
    _set_rates(observer, lambda rates: [rate * min(1.0, (observer.step + 1) / WARM_UP_STEPS) for rate in rates])


def clip(observer: Observer, _value: str) -> None:
    """Every step's gradients at most as long as those of the first."""
    norms: dict[int, float] = {}

    def shorten(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = [p for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if id(optimizer) not in norms:
            norms[id(optimizer)] = reading.length(reading.norms([p.grad for p in held]))
        torch.nn.utils.clip_grad_norm_(held, norms[id(optimizer)])

    observer.moments.step_begins.insert(0, shorten)
