"""The last good step: weights and optimizer state as they were, kept beside the live ones until they are needed.

Two copies, taken in turn at the end of a backward, before the weights move: a step is judged after the next one may
have begun, and the copy from before the bad step must still be there then. Copies are made into memory allocated once,
by one call over all tensors; on a device nothing waits for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import torch

from firstlight.guard.capture.choices import Keep
from firstlight.guard.capture.trees import Packer
from firstlight.records.artifact import Node


@dataclass
class Copy:
    """One part, as it was."""

    tree: Node
    title: str
    tensors: dict[str, torch.Tensor]


@dataclass
class Slot:
    tick: int = -1
    """When it was taken, in steps of all optimizers together; -1 while it is being written."""
    step: int = -1
    parts: dict[str, Copy] = field(default_factory=dict)


class Ring:
    def __init__(self, keep: Keep, every: int) -> None:
        self.keep, self.every = keep, every
        self._slots = (Slot(), Slot())

    def passes(self, tick: int, step: int, live: "Iterable[tuple[str, Any]]") -> None:
        """A step is about to change the weights."""
        if self.keep != "off" and tick % self.every == 0:
            self.take(tick, step, live)

    def take(self, tick: int, step: int, live: "Iterable[tuple[str, Any]]") -> None:
        """Into the older of the two."""
        slot = min(self._slots, key=lambda slot: slot.tick)
        slot.tick = -1
        slot.parts = {name: self._copied(value, slot.parts.get(name)) for name, value in live}
        slot.tick, slot.step = tick, step

    @property
    def newest(self) -> int:
        return max(slot.tick for slot in self._slots)

    def before(self, tick: int) -> Slot | None:
        """The newest copy from the beginning of this step or an earlier one."""
        found = [slot for slot in self._slots if 0 <= slot.tick <= tick]
        return max(found, key=lambda slot: slot.tick, default=None)

    def _copied(self, value: Any, old: Copy | None) -> Copy:
        packer = Packer()
        tree = packer.pack(state_of(value))
        room = old.tensors if old is not None else {}
        sources, targets = [], []
        for name, tensor in packer.tensors.items():
            target = room.get(name)
            if target is None or target.shape != tensor.shape or target.dtype != tensor.dtype:
                target = self._allocated(tensor)
            sources.append(tensor)
            targets.append(target)
        _copy(targets, sources)
        return Copy(tree, type(value).__name__, dict(zip(packer.tensors, targets, strict=True)))

    def _allocated(self, tensor: torch.Tensor) -> torch.Tensor:
        if self.keep == "device" or tensor.device.type == "cpu":
            return torch.empty_like(tensor, memory_format=torch.contiguous_format)
        return torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)


def state_of(value: Any) -> Any:
    """Of a model its own tensors, by name: `state_dict` of a sharded model talks to the other ranks, and would wait."""
    if isinstance(value, torch.nn.Module):
        return tensors_of(value)
    return value.state_dict() if hasattr(value, "state_dict") else value


def tensors_of(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Parameters and buffers, tied ones under each of their names."""
    return {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }


def _copy(targets: list[torch.Tensor], sources: list[torch.Tensor]) -> None:
    """One call for each pair of devices; to pinned memory the copy goes on while the device works."""
    groups: dict[tuple[torch.device, torch.device], tuple[list[torch.Tensor], list[torch.Tensor]]] = {}
    for target, source in zip(targets, sources, strict=True):
        pair = groups.setdefault((target.device, source.device), ([], []))
        pair[0].append(target)
        pair[1].append(source)
    for into, out_of in groups.values():
        torch._foreach_copy_(into, out_of, non_blocking=True)
