"""Memory that was filled by chance: what an initialisation made, whoever wrote the module that it belongs to."""

from typing import Any

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from firstlight.observe.inside import reading


class DrawnMemory:
    """Known as long as it lives: its address may be given to something that was loaded."""

    def __init__(self) -> None:
        self._known: dict[int, StorageWeakRef] = {}

    def add(self, tensor: Any) -> None:
        if (place := _place(tensor)) is not None:
            self._known[place] = StorageWeakRef(tensor.untyped_storage())

    def holds(self, tensor: Any) -> bool:
        place = _place(tensor)
        known = None if place is None else self._known.get(place)
        return known is not None and not known.expired()


def _place(tensor: Any) -> int | None:
    """None where there are no values, as on the meta device."""
    return (reading.place(tensor) or None) if isinstance(tensor, torch.Tensor) else None
