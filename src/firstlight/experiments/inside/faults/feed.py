"""Faults in what the program is fed: inputs of its models, batches of its loaders."""

import threading
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data import DataLoader, RandomSampler, SequentialSampler
from torch.utils.data.dataloader import _BaseDataLoaderIter, _MultiProcessingDataLoaderIter

from firstlight.experiments.inside import steering
from firstlight.experiments.inside.steering import Change
from firstlight.observe.inside.observer import Observer

UNSCALED = 255.0
NAN_STEP = 5


def zeroed(_observer: Observer, applied: Callable[[], None]) -> None:
    _plant(steering.zeros, applied)


def unscaled(_observer: Observer, applied: Callable[[], None]) -> None:
    _plant(lambda tensor: tensor * UNSCALED if tensor.is_floating_point() else tensor, applied)


def half_blank(_observer: Observer, applied: Callable[[], None]) -> None:
    def blank(tensor: torch.Tensor) -> torch.Tensor:
        if not tensor.is_floating_point() or tensor.ndim < 2 or tensor.shape[-1] < 2:
            return tensor
        found = tensor.clone()
        found[..., : tensor.shape[-1] // 2] = 0.0
        return found

    _plant(blank, applied)


def nan_in_one(observer: Observer, applied: Callable[[], None]) -> None:
    def spoil(tensor: torch.Tensor) -> torch.Tensor:
        if observer.step != NAN_STEP or not tensor.is_floating_point() or not tensor.ndim or not tensor.numel():
            return tensor
        found = tensor.clone()
        found.view(-1)[0] = torch.nan
        return found

    _plant(spoil, applied, in_evaluation=False)


def _plant(change: Change, applied: Callable[[], None], in_evaluation: bool = True) -> None:
    """In what every outermost model is given; as a rule in evaluation too, as a fault of the data would be."""
    original: Any = torch.nn.Module.__call__
    local = threading.local()

    def noted(tensor: torch.Tensor) -> torch.Tensor:
        found = tensor if tensor.requires_grad else change(tensor)
        if found is not tensor:
            applied()
        return found

    def call(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        wanted = in_evaluation or torch.is_grad_enabled()
        if getattr(local, "inside", False) or not wanted or next(self.parameters(), None) is None:
            return original(self, *args, **kwargs)
        local.inside = True
        try:
            args, kwargs = steering.inputs_changed(args, kwargs, noted)
            return original(self, *args, **kwargs)
        finally:
            local.inside = False

    torch.nn.Module.__call__ = call  # type: ignore[method-assign]


def target_leaked(_observer: Observer, applied: Callable[[], None]) -> None:
    """In place, because whoever kept the batch keeps this one."""

    def leak(batch: Any) -> None:
        if not isinstance(batch, list | tuple) or len(batch) != 2:
            return
        inputs, targets = batch
        if not isinstance(inputs, torch.Tensor) or not isinstance(targets, torch.Tensor):
            return
        fits = inputs.ndim > 1 and inputs.is_floating_point() and inputs.is_contiguous()
        if fits and targets.numel() == len(inputs):
            inputs.view(len(inputs), -1)[:, 0] = targets.reshape(-1).to(inputs.dtype)
            applied()

    for kind in (_BaseDataLoaderIter, _MultiProcessingDataLoaderIter):
        if "__next__" in vars(kind):
            _tap_batches(kind, leak)


def _tap_batches(kind: Any, leak: Callable[[Any], None]) -> None:
    original = kind.__next__

    def leaking(self: Any) -> Any:
        batch = original(self)
        leak(batch)
        return batch

    kind.__next__ = leaking


def batches_in_order(_observer: Observer, applied: Callable[[], None]) -> None:
    original: Any = DataLoader.__init__

    def build(
        self: Any,
        dataset: Any,
        batch_size: Any = 1,
        shuffle: Any = None,
        sampler: Any = None,
        *others: Any,
        **rest: Any,
    ) -> None:
        if shuffle or isinstance(sampler, RandomSampler):
            applied()
            shuffle, sampler = None, SequentialSampler(dataset)
        original(self, dataset, batch_size, shuffle, sampler, *others, **rest)

    DataLoader.__init__ = build  # type: ignore[method-assign]


def batch_repeated(observer: Observer, applied: Callable[[], None]) -> None:
    def begin() -> None:
        if observer.last_batch[0] is not None:
            applied()
            steering.repeat_batch(observer, "")

    observer.moments.training_begins.insert(0, begin)
