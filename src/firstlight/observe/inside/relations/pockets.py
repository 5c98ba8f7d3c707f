"""Rows, or single columns of some rows, that lie on another scale than the rest: a unit that was not converted."""

import torch

from firstlight.records.relations import Pocket

LEAST_EXAMPLES = 64
LEAST_GAP = 20.0
"""Between the smallest of the one part and the largest of the other."""
LEAST_PART = 5
"""Rows; fewer are single accidents, which are told from `FAR_GAP` on."""
FAR_GAP = 100.0
LEAST_DISTINCT = 16
"""Sizes; fewer are codes, or soft labels."""
MOST_POCKETS = 4


def pockets(name: str, values: torch.Tensor, by_column: bool) -> list[Pocket]:
    """In a table each column may have a unit of its own; in anything else whole rows are compared."""
    if len(values) < LEAST_EXAMPLES:
        return []
    sizes = values.abs().double()
    columns = sizes if by_column else sizes.pow(2).mean(1, keepdim=True).sqrt()
    found = [_pocket(name, column, index if by_column else None) for index, column in enumerate(columns.t())]
    return sorted((one for one in found if one is not None), key=lambda one: -one.gap)[:MOST_POCKETS]


def _pocket(name: str, sizes: torch.Tensor, column: int | None) -> Pocket | None:
    """What lies beyond the widest gap between sizes, zeros aside. In a column small values are nothing special."""
    ordered = sizes[sizes > 0].sort().values
    if len(ordered) < LEAST_EXAMPLES or len(ordered.unique()) < LEAST_DISTINCT:
        return None
    ratios = ordered[1:] / ordered[:-1]
    first = len(ordered) // 2 if column is not None else 0
    at = int(ratios[first:].argmax()) + first
    gap, rows = float(ratios[at]), min(at + 1, len(ordered) - 1 - at)
    if not gap >= (LEAST_GAP if rows >= LEAST_PART else FAR_GAP):
        return None
    low, high = ordered[: at + 1].median(), ordered[at + 1 :].median()
    factor = float(high / low if at + 1 > rows else low / high)
    return Pocket(name=name, column=column, rows=rows, of=len(sizes), factor=factor, gap=gap)
