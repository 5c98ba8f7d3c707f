"""The labels that a loss compares, each with each: what is made of such a comparison knows it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from firstlight.observe.inside.tape.recorder import Input

COMPARISONS = frozenset({"eq", "__eq__", "ne", "__ne__", "not_equal"})
ORDERS = frozenset(
    "gt __gt__ greater lt __lt__ less ge __ge__ greater_equal le __le__ less_equal sub __sub__ subtract".split()
)
"""Of values as well, where each is held against each."""
SQUARE = 2
LEAST_LABELS, MOST_LABELS = 6, 1024
MOST_KIN = 4
"""Comparisons that one tensor rests on."""

Kin = tuple[torch.Tensor, torch.Tensor]
"""What was compared: labels in a column, and labels in a row."""


def compared(name: str, arguments: Sequence[Any], made: torch.Tensor, inputs: "list[Input]") -> tuple[Kin, ...]:
    """The comparisons that a tensor rests on: this call, or those before it.

    What was compared is kept, and not what came of it, which a loss may write to: an example is not its own partner.
    """
    if name in COMPARISONS or (name in ORDERS and not made.requires_grad and _is_outer(made, inputs)):
        pairs = len(arguments) == len(inputs) == SQUARE and made.ndim == SQUARE and made.shape[0] == made.shape[1]
        return ((inputs[0][0], inputs[1][0]),) if pairs and LEAST_LABELS <= len(made) <= MOST_LABELS else ()
    if made.requires_grad or not any(given is not None and given[0].kin for _, _, given in inputs):
        return ()
    behind = [kin for _, _, given in inputs if given is not None for kin in given[0].kin]
    return tuple({(id(one), id(other)): (one, other) for one, other in behind}.values())[:MOST_KIN]


def _is_outer(made: torch.Tensor, inputs: "list[Input]") -> bool:
    return len(inputs) == SQUARE and all(given.numel() < made.numel() for given, _, _ in inputs)


def same(kin: Kin) -> torch.Tensor | None:
    """Does each example have the label of each other? None where no two have one, or all do, or there are two lists."""
    equal = torch.eq(kin[0].detach(), kin[1].detach()).cpu()
    if equal.ndim != SQUARE or not torch.equal(equal, equal.t()) or not bool(equal.diagonal().all()):
        return None
    return equal if len(equal) < int(equal.sum()) < equal.numel() else None
