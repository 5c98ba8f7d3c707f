"""Which of the batches that were read a model is asked about: loaders may be read ahead of it.

Accelerate, and with it the Hugging Face Trainer, reads one batch ahead, or as many as are accumulated; so do loaders
that are wrapped by hand to copy to a device meanwhile. The batch is known again by where its tensors lie in memory.
"""

import weakref
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from firstlight.observe.inside import reading

if TYPE_CHECKING:
    from firstlight.observe.inside.observer import Observer
    from firstlight.observe.inside.taps.models import Call

MOST_AHEAD = 64


class Read(NamedTuple):
    loader: "weakref.ref[Any] | None"
    rows: tuple[int, ...]
    tensors: "list[weakref.ref[torch.Tensor]]"
    """All of the batch; it is not kept in memory for this."""

    def alive(self) -> list[torch.Tensor]:
        return [tensor for ref in self.tensors if (tensor := ref()) is not None]


class ReadingAhead:
    def __init__(self, observer: "Observer") -> None:
        self.observer = observer
        self._read: deque[Read] = deque(maxlen=MOST_AHEAD)
        """Those that no model was asked about yet, and the last one that it was asked about."""
        self._told: Read | None = None
        """What everybody takes for the batch that is worked on."""

    def batch_given(self, loader: Any, batch: Any) -> None:
        known = None if loader is None else weakref.ref(loader)
        refs = [weakref.ref(tensor) for tensor in reading.tensors_in(batch)]
        self._told = Read(known, self.observer.batch_rows, refs)
        self._read.append(self._told)

    def returned(self, call: "Call") -> None:
        """Of batches that lie in the same place, the last: a data set may give parts of one tensor."""
        given = {place for tensor in call.inputs if (place := _place(tensor))}
        for ahead in range(len(self._read)):
            one = self._read[-1 - ahead]
            tensors = one.alive()
            if any(_place(tensor) in given for tensor in tensors):
                for _ in range(len(self._read) - 1 - ahead):
                    self._read.popleft()
                if one is not self._told and len(tensors) == len(one.tensors):
                    self._tell(one, tensors)
                return

    def _tell(self, one: Read, tensors: list[torch.Tensor]) -> None:
        self._told, self.observer.batch_rows = one, one.rows
        loader = one.loader() if one.loader is not None else None
        self.observer.tell(self.observer.moments.batch_asked, loader, tensors)


def _place(tensor: torch.Tensor) -> int:
    """0 where it has none of its own."""
    return tensor.data_ptr() if tensor.numel() and reading.readable(tensor) and not tensor.is_sparse else 0


def install(observer: "Observer") -> None:
    """Before all others that are told of a call."""
    ahead, moments = ReadingAhead(observer), observer.moments
    moments.batch_given.append(observer.shielded("loaders", ahead.batch_given))
    moments.model_returned.insert(0, observer.shielded("loaders", ahead.returned))
