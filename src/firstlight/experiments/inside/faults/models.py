"""Faults in the models: how their weights begin, what passes between their layers, their mode."""

import functools
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F

from firstlight.experiments.inside import model_steering
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import acts_by_mode

Applied = Callable[[], None]
DROPPED = 0.95
LARGE = 30.0
DEAD_BIAS = -100.0


def _when_training_begins(observer: Observer, do: Callable[[torch.nn.Module], bool], applied: Applied) -> None:
    """With the first model that trains; `do` says whether there was anything to do."""

    def begin() -> None:
        if observer.entering is not None and do(observer.entering):
            applied()

    observer.moments.training_begins.insert(0, begin)


def _layers(model: torch.nn.Module) -> list[torch.nn.Module]:
    """Those with a matrix of weights, in the order in which they were made."""
    return [part for part in model.modules() if getattr(getattr(part, "weight", None), "ndim", 0) > 1]


def weights_equal(observer: Observer, applied: Applied) -> None:
    _change_weights(observer, lambda weight: weight.fill_(float(weight.std())), applied)


def weights_large(observer: Observer, applied: Applied) -> None:
    _change_weights(observer, lambda weight: weight.mul_(LARGE), applied)


def _change_weights(observer: Observer, change: Callable[[Any], object], applied: Applied) -> None:
    def do(model: torch.nn.Module) -> bool:
        layers = _layers(model)
        with torch.no_grad():
            for layer in layers if len(layers) > 1 else ():
                change(layer.weight)
        return len(layers) > 1

    _when_training_begins(observer, do, applied)


def units_dead(observer: Observer, applied: Applied) -> None:
    def do(model: torch.nn.Module) -> bool:
        biases: list[Any] = [getattr(layer, "bias", None) for layer in _layers(model)[:-1]]
        hidden = [bias for bias in biases if isinstance(bias, torch.Tensor)]
        with torch.no_grad():
            for bias in hidden:
                bias.fill_(DEAD_BIAS)
        return bool(hidden)

    _when_training_begins(observer, do, applied)


def layer_cut_off(observer: Observer, applied: Applied) -> None:
    _between_layers(observer, lambda output: output.detach(), applied)


def examples_mixed(observer: Observer, applied: Applied) -> None:
    def mix(output: torch.Tensor) -> torch.Tensor:
        return (output + output.roll(1, 0)) / 2 if output.ndim > 1 else output

    _between_layers(observer, mix, applied)


def _between_layers(observer: Observer, change: Callable[[torch.Tensor], torch.Tensor], applied: Applied) -> None:
    """What the layer in the middle returns; with two layers, the first."""

    def hook(_module: torch.nn.Module, _given: Any, output: Any) -> Any:
        if not isinstance(output, torch.Tensor):
            return None
        applied()
        return change(output)

    def begin() -> None:
        layers = _layers(observer.entering) if observer.entering is not None else []
        if len(layers) > 1:
            layers[len(layers) // 2 - 1].register_forward_hook(hook)

    observer.moments.training_begins.insert(0, begin)


def layers_frozen(observer: Observer, applied: Applied) -> None:
    def do(model: torch.nn.Module) -> bool:
        trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
        for parameter in trained[: len(trained) // 2]:
            parameter.requires_grad_(False)
        return len(trained) > 1

    _when_training_begins(observer, do, applied)


def dropout_heavy(_observer: Observer, applied: Applied) -> None:
    original = F.dropout

    @functools.wraps(original)
    def drop(given: torch.Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> torch.Tensor:
        if training and p > 0.0:
            applied()
            p = DROPPED
        return original(given, p, training, inplace)

    setattr(F, "dropout", drop)  # noqa: B010  # typed as another kind of function


def eval_mode_in_training(_observer: Observer, applied: Applied) -> None:
    _hold_mode(training=False, gradients=True, applied=applied)


def train_mode_in_evaluation(_observer: Observer, applied: Applied) -> None:
    _hold_mode(training=True, gradients=False, applied=applied)


def _hold_mode(training: bool, gradients: bool, applied: Applied) -> None:
    def changed(module: torch.nn.Module) -> None:
        if any(map(acts_by_mode, module.modules())):
            applied()

    model_steering.hold_mode(training, gradients, changed)
