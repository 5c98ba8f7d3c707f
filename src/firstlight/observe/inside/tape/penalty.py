"""How hard a loss pulls at weights by itself, beside what it pulls through the data.

A penalty on weights rests on nothing that the network was fed, so it can be computed again from the weights alone,
however it is written. What else is in their gradients after the backward comes through the data.
"""

import math
from dataclasses import dataclass

import torch

from firstlight.observe.inside.tape.recorder import Mark, Row
from firstlight.observe.inside.tape.tail import Tail

MOST_ELEMENTS = 1 << 24


@dataclass(frozen=True)
class WeightPenalty:
    row: Row
    """The first call of it."""
    pulls: tuple[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None], ...]
    """Weights with the gradient of the penalty, and with what was in their gradients before the backward."""

    def sizes(self) -> tuple[float, float]:
        """After the backward: the norm of the gradients of the penalty, and of those that came through the data."""
        own = through = 0.0
        for weights, pull, before in self.pulls:
            if weights.grad is not None and not weights.grad.is_sparse:
                rest = weights.grad.detach().double() - pull.double() - (0 if before is None else before.double())
                own, through = own + float(pull.double().square().sum()), through + float(rest.square().sum())
        return math.sqrt(own), math.sqrt(through)


def penalty_of(tail: Tail) -> WeightPenalty | None:
    """None where no weights enter the loss but through the data."""
    alone = [row for row in tail.rows if row.marks == Mark.TRAINED]
    weights = {
        id(tensor): tensor
        for row in alone
        for tensor, marks, made in row.inputs
        if made is None and marks == Mark.TRAINED and tensor.numel() > 1 and tensor.is_floating_point()
    }
    if not weights or sum(tensor.numel() for tensor in weights.values()) > MOST_ELEMENTS:
        return None
    with torch.enable_grad():
        copies = {key: tensor.detach().clone().requires_grad_() for key, tensor in weights.items()}
        pulls = torch.autograd.grad(tail.replay(copies), list(copies.values()), materialize_grads=True)
    before = [None if tensor.grad is None else tensor.grad.detach().clone() for tensor in weights.values()]
    return WeightPenalty(alone[0], tuple(zip(weights.values(), pulls, before, strict=True)))
