"""Steers what the models are fed: the same batch again, noise, zeros, rows out of order, standardised values."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import torch
from torch.utils.data.dataloader import _BaseDataLoaderIter, _MultiProcessingDataLoaderIter

from firstlight.experiments.inside import loss_steering, recital
from firstlight.observe.inside.observer import Observer
from firstlight.observe.inside.taps.models import Call

Change = Callable[[torch.Tensor], torch.Tensor]
LABELS = ("label", "target")
"""Keyword arguments so named are not inputs."""


def repeat_batch(observer: Observer, value: str) -> None:
    """The first batch, at every step or from one on: from the loader that gave it, or by what the models are given."""
    source, batch = observer.last_batch
    first = int(value or 0)

    def wanted() -> bool:
        return observer.step >= first

    if source is None:
        _steer_inputs(observer, _first_again(wanted))
        loss_steering.steer_targets(_first_again(wanted))
        return
    if not first:
        recital.follow(observer, batch)
    for kind in (_BaseDataLoaderIter, _MultiProcessingDataLoaderIter):
        if "__next__" in vars(kind):
            _give_again(kind, source, batch, wanted)


def _give_again(kind: Any, source: int, batch: Any, wanted: Callable[[], bool]) -> None:
    original = kind.__next__

    def again(self: Any) -> Any:
        found = original(self)
        ours = wanted() and id(getattr(self, "firstlight_loader", None)) == source
        return copy.deepcopy(batch) if ours else found

    kind.__next__ = again


def _first_again(wanted: Callable[[], bool]) -> Change:
    """Without a loader: the values of the first call of each shape come again."""
    first: dict[tuple[int, ...], torch.Tensor] = {}

    def change(tensor: torch.Tensor) -> torch.Tensor:
        key = tuple(tensor.shape)
        if key not in first:
            first[key] = tensor.detach().clone()
        return first[key].clone() if wanted() else tensor

    return change


def noise_inputs(observer: Observer, _value: str) -> None:
    generator = torch.Generator().manual_seed(1)

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.is_floating_point():
            noise = torch.randn(tensor.shape, generator=generator, device="cpu", dtype=torch.float32).to(tensor)
            return noise * tensor.std() + tensor.mean()
        if tensor.dtype == torch.bool or tensor.numel() == 0:
            return tensor
        order = torch.randperm(tensor.numel(), generator=generator, device="cpu").to(tensor.device)
        return tensor.reshape(-1)[order].reshape(tensor.shape)

    _steer_inputs(observer, change)


def zero_inputs(observer: Observer, _value: str) -> None:
    _steer_inputs(observer, zeros)


def zeros(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.dtype == torch.bool else torch.zeros_like(tensor)


def permute_inputs(observer: Observer, _value: str) -> None:
    """Rows of the inputs out of order, the targets as they are: the pairing is lost, everything else kept."""
    generator = torch.Generator().manual_seed(2)
    orders: dict[int, torch.Tensor] = {}

    def change(tensor: torch.Tensor) -> torch.Tensor:
        if tensor.ndim == 0 or len(tensor) < 2:
            return tensor
        if len(tensor) not in orders:
            orders[len(tensor)] = torch.randperm(len(tensor), generator=generator, device="cpu")
        return tensor[orders[len(tensor)].to(tensor.device)]

    def shuffle(*_: Any) -> None:
        orders.clear()

    observer.moments.step_ended.append(shuffle)
    _steer_inputs(observer, change)


def standardise_inputs(observer: Observer, _value: str) -> None:
    def change(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point() or tensor.ndim < 2 or len(tensor) < 2:
            return tensor
        axes = [0, *range(2, tensor.ndim)]
        mean, std = tensor.mean(axes, keepdim=True), tensor.std(axes, keepdim=True)
        return (tensor - mean) / (std + 1e-6)

    _steer_inputs(observer, change)


def finite_inputs(observer: Observer, _value: str) -> None:
    _steer_inputs(observer, lambda tensor: tensor.nan_to_num(0.0, 0.0, 0.0) if tensor.is_floating_point() else tensor)


def _steer_inputs(observer: Observer, change: Change) -> None:
    steer_calls(observer, _hook(change))


def steer_calls(observer: Observer, hook: Callable[..., Any]) -> None:
    """From the second call of each model on; the first is under way when a timeline begins."""
    steered: set[int] = set()

    def steer(call: Call) -> None:
        if id(call.module) in steered:
            return
        steered.add(id(call.module))
        call.module.register_forward_pre_hook(hook, with_kwargs=True)

    observer.moments.model_returned.append(steer)


def _hook(change: Change) -> Callable[..., Any]:
    def steer(_module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not torch.is_grad_enabled():
            return None
        return inputs_changed(args, kwargs, change)

    return steer


def inputs_changed(
    args: tuple[Any, ...], kwargs: dict[str, Any], change: Change
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a model is called with, its inputs changed."""
    with torch.no_grad():
        named = {
            key: value if any(word in key.lower() for word in LABELS) else changed(value, change)
            for key, value in kwargs.items()
        }
        return tuple(changed(value, change) for value in args), named


def changed(tree: Any, change: Change) -> Any:
    """All but what rests on something trained."""
    return mapped(tree, lambda tensor: tensor if tensor.requires_grad and not tensor.is_leaf else change(tensor))


def mapped(tree: Any, change: Change) -> Any:
    if isinstance(tree, torch.Tensor):
        return change(tree)
    if isinstance(tree, Mapping):
        kind: Any = type(tree)
        return kind({key: mapped(value, change) for key, value in tree.items()})
    if isinstance(tree, list):
        return [mapped(item, change) for item in tree]
    if type(tree) is tuple:
        return tuple(mapped(item, change) for item in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_make"):
        return tree._make(mapped(item, change) for item in tree)
    if is_dataclass(tree) and not isinstance(tree, type):
        made = copy.copy(tree)
        for part in fields(tree):
            object.__setattr__(made, part.name, mapped(getattr(tree, part.name), change))
        return made
    return tree


def eval_tail(observer: Observer, from_step: int) -> None:
    """The last steps run in eval mode, so that what was learnt is measured without dropout's noise."""

    def settle(module: torch.nn.Module, _given: Any) -> None:
        if observer.step >= from_step and module.training:
            module.eval()
            torch.backends.cudnn.enabled = False  # its recurrent layers have no backward in eval mode

    torch.nn.modules.module.register_module_forward_pre_hook(settle)
