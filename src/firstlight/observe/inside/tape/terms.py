"""Terms of the loss that carry a value and no gradient, although they rest on what is trained."""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from firstlight.observe.inside.tape.recorder import Mark, Row
from firstlight.observe.inside.tape.tail import Tail

SUMS = frozenset({"add", "__add__", "__radd__", "add_", "__iadd__", "sub", "__sub__", "__rsub__", "sub_", "__isub__"})
LINEAR = SUMS | {"mean", "sum", "neg", "__neg__", "squeeze", "stack", "cat", "to", "float", "double"}
"""What stands between the loss and its terms; products with numbers and scalars are looked through as well."""
PRODUCTS = frozenset({"mul", "__mul__", "__rmul__", "div", "__truediv__", "mul_", "div_", "__imul__", "__itruediv__"})


@dataclass(frozen=True)
class Term:
    value: float
    cut: Row | None
    """The call that was given a gradient and passed none on; where it is not known, the one that made the term."""
    added: Row
    """Where it joins the rest."""


def silent_terms(tail: Tail) -> Iterator[Term]:
    """Those that a plain sum joins to others which do carry a gradient."""
    rows = {row.number: row for row in tail.rows}
    waiting, seen = [tail.rows[-1]], set[int]()
    while waiting:
        row = waiting.pop()
        if row.number in seen or not _passes(row):
            continue
        seen.add(row.number)
        for tensor, marks, made in row.inputs:
            if made is not None and tensor.requires_grad and made[0].number in rows:
                waiting.append(made[0])
            elif row.name in SUMS and not tensor.requires_grad and marks & Mark.TRAINED and _counts(tensor):
                yield Term(float(tensor.detach().double().mean()), None if made is None else _cut(made[0]), row)


def _passes(row: Row) -> bool:
    """The loss depends on what this row was given as a sum depends on its terms."""
    if row.name in LINEAR:
        return True
    rest = [tensor for tensor, _, _ in row.inputs if not tensor.requires_grad]
    scaled = len(row.inputs) - len(rest) == 1 and all(tensor.numel() == 1 for tensor in rest)
    return row.name in PRODUCTS and scaled


def _counts(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() and bool((tensor != 0).any())


def _cut(made: Row) -> Row:
    """The first call on the way to this one that lost a gradient."""
    seen, waiting, found = set[int](), [made], [made]
    while waiting:
        row = waiting.pop()
        if row.number in seen:
            continue
        seen.add(row.number)
        if any(tensor.requires_grad for tensor, _, _ in row.inputs):
            found.append(row)
        waiting.extend(origin[0] for tensor, _, origin in row.inputs if origin is not None and not tensor.requires_grad)
    return min(found[1:] or found, key=lambda row: row.number)
