"""The parts of an artifact, put back into the objects of the program that is run again."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from firstlight.errors import ArtifactError
from firstlight.guard.capture.ring import tensors_of
from firstlight.guard.capture.trees import Packer, incoming, unpack
from firstlight.guard.replay.repro import nested
from firstlight.guard.replay.wide import widened
from firstlight.observe.inside.reading import tensors_in
from firstlight.records.artifact import Part
from firstlight.store import artifacts
from firstlight.store.artifacts import Artifact

MOST_SHOWN = 16
"""Numbers of a row that are written out."""


@dataclass
class Material:
    step: int
    random: dict[str, Any]
    batches: list[Any]
    inputs: list[Any]
    models: dict[str, dict[str, torch.Tensor]]
    optimizers: dict[str, tuple[str, Any]]
    scaler: dict[str, Any] | None = None
    was_fed: bool = False
    """A model was given captured inputs directly."""
    _given: int = 0
    _names: dict[int, str] = field(default_factory=dict)
    _held: list[Any] = field(default_factory=list)

    @classmethod
    def read(cls, folder: Path) -> "Material":
        artifact = artifacts.read(folder)
        return cls(
            step=artifact.manifest.step,
            random=next(_values(artifact, "rng"), {}),
            batches=list(_values(artifact, "batch")),
            inputs=list(_values(artifact, "inputs")),
            models={part.name: _value(artifact, part) for part in _parts(artifact, "model")},
            optimizers={p.name: (p.title, _value(artifact, p)) for p in _parts(artifact, "optimizer")},
            scaler=next(_values(artifact, "scaler"), None),
        )

    def widen(self) -> None:
        """Into float32."""
        self.batches, self.inputs = widened(self.batches), widened(self.inputs)
        self.models = {name: widened(state) for name, state in self.models.items()}

    @property
    def has_batch(self) -> bool:
        return bool(self.batches)

    def batch_for(self, own: Any) -> Any:
        """The captured batch in place of the loader's own, where it looks like one of that loader."""
        batch = self.batches[min(self._given, len(self.batches) - 1)]
        if _shape(batch) != _shape(own):
            return own
        self._given += 1
        fresh = copy.deepcopy(batch)
        self._name_leaves(fresh, "batch")
        return fresh

    def inputs_for(self, given: tuple[Any, ...]) -> tuple[Any, ...] | None:
        """Captured positional inputs for a model that no loader feeds; None where they do not fit."""
        if not self.inputs:
            return None
        kept = self.inputs.pop(0)
        args = tuple(kept["args"])
        if len(args) != len(given) or _shape(list(args)) != _shape(list(given)):
            return None
        moved = tuple(_moved(new, old) for new, old in zip(args, given, strict=True))
        self.was_fed = True
        self._name_leaves(moved, "input")
        return moved

    def load_model(self, module: torch.nn.Module) -> str | None:
        """The captured weights whose names and shapes are this model's."""
        own = tensors_of(getattr(module, "_orig_mod", module))
        shapes = {name: value.shape for name, value in own.items()}
        for name, state in list(self.models.items()):
            if {key: value.shape for key, value in state.items()} == shapes:
                with torch.no_grad():
                    for key, value in self.models.pop(name).items():
                        own[key].copy_(value)
                return name
        return None

    def load_optimizer(self, optimizer: torch.optim.Optimizer) -> str | None:
        counts = [len(group["params"]) for group in optimizer.param_groups]
        for name, (title, state) in list(self.optimizers.items()):
            kept = [len(group["params"]) for group in state["param_groups"]]
            if title == type(optimizer).__name__ and counts == kept:
                del self.optimizers[name]
                optimizer.load_state_dict(state)
                return name
        return None

    def load_scaler(self, scaler: Any) -> None:
        if self.scaler:
            scaler.load_state_dict(self.scaler)

    def leaf_of(self, tensor: torch.Tensor) -> str | None:
        return self._names.get(int(tensor.untyped_storage()._cdata))

    def row_in_words(self, row: int, rows: int) -> Iterator[str]:
        """What that row of the captured batch, or else of the inputs, holds."""
        packer = Packer()
        packer.pack(self.batches[0] if self.batches else self._held[0] if self._held else None)
        for key, leaf in packer.tensors.items():
            if leaf.ndim and len(leaf) == rows:
                values = leaf[row].flatten()
                more = f" and {values.numel() - MOST_SHOWN} more" if values.numel() > MOST_SHOWN else ""
                yield f"  `{key}` has there {nested(values[:MOST_SHOWN].tolist(), 4)}{more}"

    def _name_leaves(self, value: Any, what: str) -> None:
        packer = Packer()
        packer.pack(value)
        self._held.append(value)
        for key, leaf in packer.tensors.items():
            self._names[int(leaf.untyped_storage()._cdata)] = f"`{key}` of the {what}"


def _parts(artifact: Artifact, name: str) -> list[Part]:
    """Those of that name, numbered ones too: from before the step where that was kept, else as the guard tripped."""
    found: dict[str, Part] = {}
    for part in sorted(artifact.manifest.parts, key=lambda part: part.moment):
        if part.name.partition("-")[0] == name:
            found.setdefault(part.name, part)
    return list(found.values())


def _values(artifact: Artifact, name: str) -> Iterator[Any]:
    return (_value(artifact, part) for part in _parts(artifact, name))


def _value(artifact: Artifact, part: Part) -> Any:
    try:
        return unpack(part.tree, incoming(artifact.tensors(part)))
    except (ValueError, TypeError) as error:
        raise ArtifactError(f"the part {part.name!r} does not hold together: {error}") from None


def _shape(tree: Any) -> list[tuple[torch.dtype, int]]:
    """What tells a batch of one loader from that of another: the types and dimensions of its tensors."""
    return [(tensor.dtype, tensor.ndim) for tensor in tensors_in(tree)]


def _moved(new: Any, old: Any) -> Any:
    return new.to(old.device) if isinstance(new, torch.Tensor) and isinstance(old, torch.Tensor) else new
