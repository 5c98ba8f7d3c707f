"""Faults in the updates: what optimizers are given, what they are told, and what is done around their steps."""

import types
from collections.abc import Callable
from typing import Any

import torch

from firstlight.experiments.inside import optimizer_steering
from firstlight.observe.inside.observer import Observer

Applied = Callable[[], None]
Group = dict[str, Any]
TINY_NORM = 1e-6
LEFT_OF_RATE = 0.7
"""Share of the learning rate that each step leaves."""
MOST_DECAY, DECAYED = 100.0, 0.5


def _when_built(change: Callable[[list[Any], Group], tuple[list[Any], Group]]) -> None:
    """What an optimizer is built with, as its user would have written it: parameters (or groups) and settings."""
    original: Any = torch.optim.Optimizer.__init__

    def build(self: Any, params: Any, defaults: Group) -> None:
        given = [params] if isinstance(params, torch.Tensor) else list(params)
        original(self, *change(given, defaults))

    torch.optim.Optimizer.__init__ = build  # type: ignore[method-assign]


def _settle(key: str, value: Callable[[Group], Any], applied: Applied) -> None:
    """Another value for one setting, in all groups; `value` is told the settings it replaces."""

    def change(given: list[Any], defaults: Group) -> tuple[list[Any], Group]:
        if defaults.get(key) is None:
            return given, defaults
        applied()
        groups = [
            {**group, key: value({**defaults, **group})} if isinstance(group, dict) and key in group else group
            for group in given
        ]
        return groups, {**defaults, key: value(defaults)}

    _when_built(change)


def rate_hundredfold(_observer: Observer, applied: Applied) -> None:
    _settle("lr", lambda group: group["lr"] * 100, applied)


def rate_thousandth(_observer: Observer, applied: Applied) -> None:
    _settle("lr", lambda group: group["lr"] / 1000, applied)


def decay_huge(_observer: Observer, applied: Applied) -> None:
    _settle("weight_decay", lambda group: min(MOST_DECAY, DECAYED / float(group["lr"])), applied)


def momentum_extreme(_observer: Observer, applied: Applied) -> None:
    _settle("momentum", lambda _: 0.999, applied)


def epsilon_huge(_observer: Observer, applied: Applied) -> None:
    _settle("eps", lambda _: 10.0, applied)


def parameters_left_out(_observer: Observer, applied: Applied) -> None:
    def second_half(parameters: Any) -> list[Any]:
        found = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        if len(found) > 1:
            applied()
        return found[len(found) // 2 :]

    def change(given: list[Any], defaults: Group) -> tuple[list[Any], Group]:
        if given and isinstance(given[0], dict):
            return [{**group, "params": second_half(group["params"])} for group in given], defaults
        return second_half(given), defaults

    _when_built(change)


def step_missing(_observer: Observer, applied: Applied) -> None:
    original: Any = torch.optim.Optimizer.__init__

    def idle(self: Any, closure: Any = None) -> Any:
        return closure() if closure is not None else None

    def build(self: Any, *arguments: Any, **keywords: Any) -> None:
        original(self, *arguments, **keywords)
        applied()
        self.step = types.MethodType(idle, self)

    torch.optim.Optimizer.__init__ = build  # type: ignore[method-assign]


def gradients_not_cleared(_observer: Observer, applied: Applied) -> None:
    def keep(_self: Any, set_to_none: bool = True) -> None:
        applied()

    torch.optim.Optimizer.zero_grad = keep  # type: ignore[method-assign,assignment]
    torch.nn.Module.zero_grad = keep  # type: ignore[method-assign,assignment]


def gradients_cleared_early(observer: Observer, applied: Applied) -> None:
    def clear(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        applied()
        optimizer_steering.clear(optimizer)

    observer.moments.step_begins.insert(0, clear)


def rate_runs_out(observer: Observer, applied: Applied) -> None:
    def lower(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        for group in optimizer.param_groups:
            if "lr" in group:
                applied()
                group["lr"] = group["lr"] * LEFT_OF_RATE

    observer.moments.step_ended.append(lower)


def updates_rounded(observer: Observer, applied: Applied) -> None:
    def round_off(optimizer: torch.optim.Optimizer, *_: Any) -> None:
        held = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        with torch.no_grad():
            for parameter in held:
                if parameter.dtype == torch.float32:
                    applied()
                    parameter.copy_(parameter.bfloat16())

    observer.moments.step_ended.insert(0, round_off)


def clip_tiny(_observer: Observer, applied: Applied) -> None:
    original = torch.nn.utils.clip_grad_norm_

    def clip(parameters: Any, max_norm: Any, *arguments: Any, **keywords: Any) -> Any:
        applied()
        return original(parameters, TINY_NORM, *arguments, **keywords)

    torch.nn.utils.clip_grad_norm_ = clip
    torch.nn.utils.clip_grad.clip_grad_norm_ = clip
