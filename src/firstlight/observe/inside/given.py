"""Whether steps are given the same tensors again, or others."""

import weakref
from collections.abc import Sequence

import torch


class LastGiven:
    """Where in memory the tensors of the last step lay, and which tensors they were."""

    def __init__(self) -> None:
        self._last: list[tuple[int, int, weakref.ref[torch.Tensor]]] = []

    def again(self, tensors: Sequence[torch.Tensor]) -> bool:
        """At least half of the values are those of the last step's tensors, in their order.

        A tensor that is made anew around the same memory is the same. Two that are kept side by side are not: they were
        meant to hold different values, as the batches in a list are.
        """
        places = [(tensor.data_ptr(), tensor.numel(), weakref.ref(tensor)) for tensor in tensors]
        kept = sum(size for (at, size, now), last in zip(places, self._last, strict=False) if _same(at, now, last))
        self._last = places
        return 2 * kept >= sum(size for _, size, _ in places)


def _same(at: int, now: weakref.ref[torch.Tensor], last: tuple[int, int, weakref.ref[torch.Tensor]]) -> bool:
    before, tensor = last[2](), now()
    if at != last[0] or tensor is None or tensor.numel() != last[1]:
        return False
    return before is None or before is tensor or before._is_view() or tensor._is_view()
