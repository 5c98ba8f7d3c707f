"""What models put out, in training or not, and all that is made of it.

A target that a model had a hand in, as in a bootstrap, moves with the training: it is not yet where that comes to.
"""

from typing import TYPE_CHECKING, Any

import torch

from firstlight.experiments.inside.scoring import SHAPED
from firstlight.observe.inside import reading
from firstlight.observe.inside.identity import ByIdentity

if TYPE_CHECKING:
    from firstlight.observe.inside.taps.models import Call

LEAVES = frozenset({"item", "tolist", "numpy", "__array__", "__float__"})
ENTERS = frozenset({"tensor", "as_tensor", "from_numpy"})


class PutOut:
    def __init__(self) -> None:
        self._rests: ByIdentity[bool] = ByIdentity()
        self._left = False
        """Values without gradient have left torch. What is reckoned there is not followed: numbers that enter torch
        from then on may be made of them."""

    def returned(self, call: "Call") -> None:
        self._mark(call.output)

    def rests(self, tensor: torch.Tensor) -> bool:
        return tensor in self._rests

    def heard(self, name: str, given: tuple[Any, ...], found: Any) -> None:
        tensors = list(reading.tensors_in(given))
        own = any(map(self.rests, tensors[:1] if name.endswith(SHAPED) else tensors))
        if own and name in LEAVES and not tensors[0].requires_grad:
            self._left = True
        if own or (self._left and name in ENTERS and not tensors):
            self._mark(tensors[0] if name == "__setitem__" else found)

    def _mark(self, made: Any) -> None:
        for tensor in reading.tensors_in(made):
            self._rests[tensor] = True
