"""How often whole numbers come, and whether those of one side are the other's, counted from another number."""

import math
from collections import Counter

import torch

from firstlight.records.feed import IdsFed

MOST_VALUES = 100_000
"""Of a tensor that are counted."""
MOST_KINDS = 100_000
MOST_OFFSET = 8
"""Special tokens that one vocabulary has and another has not."""
UNSEEN = 0.5
"""Times that every number is counted beforehand."""


def count(tensor: torch.Tensor) -> Counter[int]:
    numbers, times = torch.unique(tensor.detach().reshape(-1)[:MOST_VALUES], return_counts=True)
    return Counter(dict(zip(numbers.tolist(), times.tolist(), strict=True)))


def moved(counts: Counter[int], offset: int, top: int, wraps: bool) -> Counter[int]:
    """What leaves the range on one side comes in again on the other, or stays at its end."""
    found: Counter[int] = Counter()
    for number, times in counts.items():
        found[(number + offset) % (top + 1) if wraps else min(max(number + offset, 0), top)] += times
    return found


def compared(name: str, trained: Counter[int], evaluated: Counter[int]) -> IdsFed:
    """In nats an id: how much worse the shares of training tell the ids of evaluation than their own, as they are and
    moved, by that number by which they tell them best and by any other."""
    top = max([0, *trained, *evaluated])
    if min([0, *trained, *evaluated]) < 0 or top > MOST_KINDS or not trained or not evaluated:
        return IdsFed(name=name)
    least = _surprise(evaluated, evaluated, top)
    by = range(-MOST_OFFSET, MOST_OFFSET + 1)
    found = {offset: _surprise(evaluated, moved(trained, offset, top, wraps=False), top) - least for offset in by}
    offset = min(found, key=lambda offset: (found[offset], abs(offset)))
    return IdsFed(
        name=name,
        counted=min(trained.total(), evaluated.total()),
        kinds=min(len(trained), len(evaluated)),
        own=found[0],
        offset=offset,
        moved=found[offset],
        others=min(left for other, left in found.items() if other != offset),
    )


def _surprise(met: Counter[int], known: Counter[int], top: int) -> float:
    whole = known.total() + UNSEEN * (top + 1)
    return sum(times * math.log(whole / (known[number] + UNSEEN)) for number, times in met.items()) / met.total()
