"""Gives a copy more to express its answers with: a second path beside each layer, or a further layer behind it.

What is added begins at zero, so that the copy begins as the program does, and is trained by the optimizer that holds
the layer. Linear and convolutional layers are grown; others stay as they are.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer

SEED = 13
GROWN = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
Make = Callable[[Any, int], nn.Module]
"""From a layer and a number of units to what is added to it."""


def wider(observer: "Observer", value: str) -> None:
    """`FACTOR`: beside each layer, a path from its input to its output through so many times its units."""
    _grow(observer, _path_beside, float(value), given=True)


def deeper(observer: "Observer", value: str) -> None:
    """`FACTOR`: behind each layer, a residual layer of so many times its units."""
    _grow(observer, _layer_behind, float(value), given=False)


def _grow(observer: "Observer", make: Make, factor: float, *, given: bool) -> None:
    grown: dict[int, nn.Module | None] = {}
    ours: set[int] = set()

    def add(module: nn.Module, inputs: tuple[Any, ...], output: Any) -> Any:
        if type(module) not in GROWN or id(module) in ours or not inputs:
            return None
        if id(module) not in grown and module.training and torch.is_grad_enabled():
            units = max(1, round(factor * max(_units(module))))
            made = grown[id(module)] = _joined(observer, module, lambda: make(module, units))
            ours.update(id(part) for part in (made.modules() if made is not None else ()))
        added = grown.get(id(module))
        return None if added is None else output + added(inputs[0] if given else output)

    def clear(*_: Any) -> None:
        """The program may clear the gradients of its model alone, of which these are no part."""
        for added in grown.values():
            if added is not None:
                added.zero_grad()

    torch.nn.modules.module.register_module_forward_hook(add)
    observer.moments.step_ended.append(clear)


def _joined(observer: "Observer", layer: Any, make: Callable[[], nn.Module]) -> nn.Module | None:
    """What was added, held by the optimizer that holds the layer; None where none does."""
    for held in observer.optimizers():
        optimizer = held.ref()
        for group in optimizer.param_groups if optimizer is not None else ():
            if any(p is layer.weight for p in group["params"]):
                with torch.random.fork_rng(devices=[]), observer.quiet():
                    torch.manual_seed(SEED)
                    made = make().to(layer.weight)
                group["params"].extend(made.parameters())
                return made
    return None


def _units(layer: Any) -> tuple[int, int]:
    if isinstance(layer, nn.Linear):
        return layer.in_features, layer.out_features
    return layer.in_channels, layer.out_channels


def _path_beside(layer: Any, units: int) -> nn.Module:
    given, made = _units(layer)
    if isinstance(layer, nn.Linear):
        return nn.Sequential(nn.Linear(given, units), nn.ReLU(), _silent(nn.Linear(units, made)))
    kind = type(layer)
    same = {key: getattr(layer, key) for key in ("kernel_size", "stride", "padding", "dilation", "padding_mode")}
    return nn.Sequential(kind(given, units, **same), nn.ReLU(), _silent(kind(units, made, 1)))


def _layer_behind(layer: Any, units: int) -> nn.Module:
    made = _units(layer)[1]
    if isinstance(layer, nn.Linear):
        return nn.Sequential(nn.Linear(made, units), nn.ReLU(), _silent(nn.Linear(units, made)))
    kind = type(layer)
    return nn.Sequential(kind(made, units, 3, padding=1), nn.ReLU(), _silent(kind(units, made, 1)))


def _silent(layer: Any) -> nn.Module:
    """Its answer is zero until it is trained."""
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    found: nn.Module = layer
    return found
