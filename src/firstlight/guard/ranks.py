"""Whether the ranks still hold the same weights, asked through the store they met in.

At sampled steps each rank leaves the lengths of its weights there, and rank 0 compares them once all have come. There
is no collective and nothing is waited for: a rank without a guard, or one that is behind, costs a comparison and no
more.
"""

import struct
from collections import deque
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore, _get_default_store
from torch.nn.parallel import DistributedDataParallel

from firstlight.guard.statistics.rows import L2, Frame
from firstlight.guard.watch import Watch
from firstlight.records.live import RankTrack
from firstlight.store.run_directory import new_id

SPACE = "firstlight"
MOST_WAITING = 16
"""Looks whose numbers have not come from every rank; older ones are given up."""


@dataclass
class _Course:
    """One optimizer."""

    first: float | None = None
    looks: int = 0
    apart: int = 0


@dataclass
class Ranks:
    _waiting: deque[tuple[int, int, list[str]]] = field(default_factory=lambda: deque(maxlen=MOST_WAITING))
    _courses: dict[int, _Course] = field(default_factory=dict)

    def tells(self, watch: Watch, frame: Frame) -> None:
        """Leaves what this rank has. Weights of which each rank holds a part are not comparable."""
        if not several() or any(watch.subjects.parted):
            return
        lengths = frame.weights[:, L2].tolist()
        key = f"{watch.index}/{frame.step}"
        store().set(f"{key}/{dist.get_rank()}", struct.pack(f"{len(lengths)}d", *lengths))
        if dist.get_rank() == 0:
            self._waiting.append((watch.index, frame.step, watch.subjects.names))

    def arrived(self, models: list[torch.nn.Module]) -> list[RankTrack]:
        """What all ranks have told by now, on rank 0."""
        found: list[RankTrack] = []
        while self._waiting and several():
            optimizer, step, names = self._waiting[0]
            keys = [f"{optimizer}/{step}/{rank}" for rank in range(dist.get_world_size())]
            if not store().check(keys):
                break
            self._waiting.popleft()
            told = [store().get(key) for key in keys]
            for key in keys:
                store().delete_key(key)
            if len({len(each) for each in told}) == 1:
                lengths = [struct.unpack(f"{len(each) // 8}d", each) for each in told]
                wrapped = any(isinstance(model, DistributedDataParallel) for model in models)
                found.append(self._compared(optimizer, step, names, (lengths, wrapped)))
        return found

    def _compared(
        self, optimizer: int, step: int, names: list[str], told: tuple[list[tuple[float, ...]], bool]
    ) -> RankTrack:
        lengths, wrapped = told
        gaps = [(max(each) - min(each)) / (max(each) or 1.0) for each in zip(*lengths, strict=True)]
        apart = max(gaps, default=0.0)
        course = self._courses.setdefault(optimizer, _Course())
        course.first = apart if course.first is None else course.first
        course.looks += 1
        course.apart = course.apart + 1 if apart > 0 else 0
        return RankTrack(
            optimizer=optimizer,
            step=step,
            world=len(lengths),
            looks=course.looks,
            first=course.first,
            apart=apart,
            looks_apart=course.apart,
            name=names[gaps.index(apart)] if gaps else None,
            wrapped=wrapped,
        )


def shared_name(number: int) -> str | None:
    """Of the directory of all ranks' nth guard: whoever asks first chooses it. None where a rank is by itself."""
    if not several():
        return None
    try:
        return str(store().compare_set(f"run/{number}", "", new_id()).decode())
    except RuntimeError:  # the store is gone, or of a kind that cannot do this
        return None


def several() -> bool:
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def store() -> Any:
    return PrefixStore(SPACE, _get_default_store())
