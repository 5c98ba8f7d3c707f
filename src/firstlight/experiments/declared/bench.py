"""The pieces of a declared experiment, ready to be used by a probe: always fresh, always from the same seed.

A probe may do to them what it likes. In a forked copy of the process nothing of it reaches the original; where the
process cannot be forked, `copies` makes the bench work on deep copies.
"""

import copy
import functools
import inspect
import itertools
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import torch

from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.stumbling import unusable, using
from firstlight.experiments.inside.steering import changed
from firstlight.observe.inside import reading
from firstlight.observe.spec import Spec
from firstlight.records.declared import Logged

SEED = 0
TARGETS = ("labels", "label", "targets", "target", "y")
"""Keys of a mapping that hold what the loss compares with, most usual first."""


@dataclass(frozen=True)
class Batch:
    """One batch, taken apart as the model and the loss take it."""

    raw: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    target: Any

    @property
    def inputs(self) -> list[torch.Tensor]:
        return [*reading.tensors_in(self.arguments), *reading.tensors_in(self.keywords)]

    @property
    def examples(self) -> int | None:
        first = next((tensor for tensor in self.inputs if tensor.ndim), None)
        return len(first) if first is not None else None


@dataclass
class Bench:
    experiment: Experiment
    emit: Callable[[Logged], None]
    copies: bool = False
    spec: Spec | None = None
    """How training is to be observed."""
    _kept: dict[str, list[Batch]] = field(default_factory=dict)

    def seed(self, seed: int = SEED) -> None:
        torch.manual_seed(seed)
        random.seed(seed)
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            numpy.random.seed(seed)

    def model(self) -> torch.nn.Module:
        """A new one in train mode, the same at every call."""
        given = self.experiment.model
        self.seed()
        with using("model", "building it"):
            if isinstance(given, torch.nn.Module):
                made: Any = copy.deepcopy(given)
            else:
                made = copy.deepcopy(given()) if self.copies else given()
        if not isinstance(made, torch.nn.Module):
            raise unusable("model", "building it", f"it gave a {type(made).__name__}, not a torch.nn.Module")
        if any(parameter.is_meta for parameter in made.parameters()):
            raise unusable("model", "building it", "its weights are on the meta device, where they have no values")
        return made.train()

    def optimizer(self, model: torch.nn.Module) -> Any:
        """The experiment's own, over `model`."""
        given = self.experiment.optimizer
        with using("optimizer", "building it over the model"):
            made = given(model.parameters()) if _is_class(given) else self._rebuilt(given, model)
        if not hasattr(made, "param_groups"):
            raise unusable("optimizer", "building it", f"it gave a {type(made).__name__}, not an optimizer")
        return made

    def _rebuilt(self, given: Any, model: torch.nn.Module) -> Any:
        """An optimizer given ready-made holds the original's parameters; the copy holds those of the same names."""
        if not hasattr(given, "param_groups"):
            return given(model)
        original = self.experiment.model
        if not isinstance(original, torch.nn.Module):
            raise TypeError("an optimizer that is already built needs the module it was built for as `model`")
        own = dict(model.named_parameters())
        memo: dict[int, Any] = {id(p): own[name] for name, p in original.named_parameters()}
        return copy.deepcopy(given, memo)

    def scheduler(self, optimizer: Any) -> Any:
        with using("scheduler", "building it over the optimizer"):
            assert self.experiment.scheduler is not None
            return self.experiment.scheduler(optimizer)

    @property
    def has_loss(self) -> bool:
        return bool({"loss", "step"} & self.experiment.declared)

    @property
    def watched(self) -> bool:
        """The experiment is also trained under observation, where checks see more than at the first batch."""
        return not self.copies and self.has_loss and {"data", "optimizer"} <= self.experiment.declared

    def batches(self, most: int, split: str = "train") -> list[Batch]:
        """The first `most` batches; fewer where there are no more. Read once, in this process."""
        kept = self._kept.get(split, [])
        if len(kept) < most:
            self._kept[split] = kept = list(itertools.islice(self.read(split), most))
        return kept[:most]

    def batch(self) -> Batch:
        found = self.batches(1)
        if not found:
            raise unusable("train", "reading its first batch", "it is empty: there is no batch in it")
        return found[0]

    def read(self, split: str = "train", seeded: bool = True) -> Iterator[Batch]:
        """Batches of one epoch as they come."""
        loader = getattr(self.experiment, split)
        if loader is None:
            if split == "train" and self.experiment.batch is not None:
                yield self.taken_apart(self.experiment.batch)
            return
        if seeded:
            self.seed()
        with in_this_process(loader), using(split, "reading a batch"):
            for raw in loader:
                yield self.taken_apart(raw, split)

    def forever(self) -> Iterator[Batch]:
        """Epoch after epoch, each in its own order."""
        while True:
            empty = True
            for batch in self.read(seeded=False):
                empty = False
                yield batch
            if empty:
                raise unusable("train", "reading an epoch", "it is empty: there is no batch in it")

    def taken_apart(self, raw: Any, split: str = "batch") -> Batch:
        if not any(True for _ in reading.tensors_in(raw)):
            if self.experiment.step is not None and not isinstance(raw, str | bytes | list | tuple | Mapping | None):
                return Batch(raw=raw, arguments=(), keywords={}, target=None)  # an object that `step` alone knows
            raise unusable(split, "taking a batch apart", f"there is no tensor in it: {_glimpse(raw)}")
        if isinstance(raw, Mapping):
            return self._mapping(raw)
        if isinstance(raw, list | tuple) and len(raw) > 1:
            return Batch(raw=raw, arguments=tuple(raw[:-1]), keywords={}, target=raw[-1])
        arguments = tuple(raw) if isinstance(raw, list | tuple) else (raw,)
        return Batch(raw=raw, arguments=arguments, keywords={}, target=None)

    def _mapping(self, raw: Mapping[str, Any]) -> Batch:
        """A model with a loss of its own (called by `step`) is given everything; otherwise the target stays out."""
        key = next((name for name in TARGETS if name in raw), None)
        held_out = key if self.experiment.loss is not None else None
        keywords = {name: value for name, value in raw.items() if name != held_out}
        return Batch(raw=raw, arguments=(), keywords=keywords, target=raw[key] if key else None)

    def output(self, model: torch.nn.Module, batch: Batch) -> Any:
        """As training calls it: forces and residuals of equations are gradients taken on the way."""
        batch = placed(batch, model)
        with using("model", "calling it with a batch", model), torch.enable_grad():
            if takes_mapping(model, batch.keywords):
                return model(*batch.arguments, batch.keywords)
            return model(*batch.arguments, **batch.keywords)

    def passed(self, model: torch.nn.Module, batch: Batch) -> Any:
        """The model called as the experiment calls it; its output, or the loss where only `step` knows how."""
        return self.loss(model, batch) if self.experiment.step is not None else self.output(model, batch)

    def loss(self, model: torch.nn.Module, batch: Batch) -> torch.Tensor:
        """One number with a graph behind it."""
        value = self.raw_loss(model, batch)
        piece = "step" if self.experiment.step is not None else "loss"
        if not isinstance(value, torch.Tensor):
            raise unusable(piece, "computing the loss", f"it gave a {type(value).__name__}, not a tensor")
        if value.numel() != 1:
            shape = tuple(value.shape)
            raise unusable(piece, "computing the loss", f"it gave {shape} values, not one number; take their mean")
        return (value if torch.is_grad_enabled() else value.detach()).reshape(())

    def raw_loss(self, model: torch.nn.Module, batch: Batch) -> Any:
        """Whatever the experiment computes, unjudged."""
        batch = placed(batch, model)
        if self.experiment.step is not None:
            with using("step", "computing the loss", model), torch.enable_grad():
                return self.experiment.step(model, batch.raw)
        return self.loss_of(self.output(model, batch), batch)

    def loss_of(self, output: Any, batch: Batch) -> Any:
        function = self.experiment.loss
        assert function is not None
        with using("loss", "computing it from the output and the target"), torch.enable_grad():
            return function(output) if _takes_one(function) else function(output, batch.target)


def placed(batch: Batch, model: torch.nn.Module) -> Batch:
    """On the device of the model, as every training loop puts it there."""
    device = next((parameter.device for parameter in model.parameters()), None)
    if device is None or all(tensor.device == device for tensor in reading.tensors_in(batch.raw)):
        return batch
    moved = {item.name: changed(getattr(batch, item.name), lambda t: t.to(device)) for item in fields(batch)}
    return Batch(**moved)


def prediction_of(output: Any) -> torch.Tensor | None:
    """The first floating-point tensor of an output that is not its loss."""
    if isinstance(output, Mapping):
        output = [value for key, value in output.items() if key != "loss"]
    return next((t for t in reading.tensors_in(output) if t.is_floating_point() and t.ndim), None)


class in_this_process:  # noqa: N801  # reads as a phrase where it is used
    """While a loader is read: without workers of its own."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader
        self._workers = getattr(loader, "num_workers", 0)

    def __enter__(self) -> None:
        if self._workers:
            self._loader.num_workers = 0

    def __exit__(self, *_: object) -> None:
        if self._workers:
            self._loader.num_workers = self._workers


def _is_class(given: Any) -> bool:
    if isinstance(given, functools.partial):
        given = given.func
    return isinstance(given, type) and issubclass(given, torch.optim.Optimizer)


def _takes_one(function: Any) -> bool:
    """`loss(output)`, for tasks without a target."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [p for p in parameters if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(needed) == 1 and not any(p.kind is p.VAR_POSITIONAL for p in parameters)


def _glimpse(raw: Any) -> str:
    told = type(raw).__name__
    if isinstance(raw, list | tuple):
        told += f" of {', '.join(sorted({type(item).__name__ for item in raw}))}"
    return told


def takes_mapping(model: torch.nn.Module, keywords: Mapping[str, Any]) -> bool:
    """It knows none of the names and takes one thing: the mapping as it is."""
    if not keywords:
        return False
    parameters = inspect.signature(model.forward).parameters
    open_ended = any(each.kind in (each.VAR_KEYWORD, each.VAR_POSITIONAL) for each in parameters.values())
    needed = [each for each in parameters.values() if each.default is each.empty]
    return not open_ended and not parameters.keys() & keywords.keys() and len(needed) == 1
