"""Which classes the answers of a model are for, by the largest and the smallest of each row."""

from collections.abc import Iterator

import torch

from firstlight.observe.inside import reading

SUMS_TO_ONE = 1e-3
MOST_ELEMENTS = 100_000


def extremes(outputs: list[torch.Tensor], count: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """The most and the least likely class, by whichever axis gives so many of them."""
    for output in outputs:
        for axis in {1, output.ndim - 1} if output.ndim > 1 and output.numel() <= MOST_ELEMENTS else ():
            if output.shape[axis] > 1 and output.numel() == count * output.shape[axis]:
                yield output.argmax(axis).flatten(), output.argmin(axis).flatten()


def choose_alike(prediction: torch.Tensor, outputs: list[torch.Tensor]) -> bool:
    wanted = prediction.argmax(1).flatten() if reading.readable(prediction) else torch.empty(0)
    return any(equal(wanted, best) for best, _ in extremes(outputs, wanted.numel()))


def are_shares(output: torch.Tensor, counts: set[int]) -> bool:
    """Of classes: none is negative, and they sum to one."""
    if output.ndim <= 1 or output.shape[-1] not in counts or output.numel() > MOST_ELEMENTS:
        return False
    return sum_to_one(output)


def sum_to_one(output: torch.Tensor) -> bool:
    """Each row, of numbers that are not negative."""
    return bool((output >= 0).all()) and bool(((output.sum(-1) - 1).abs() < SUMS_TO_ONE).all())


def equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.device == other.device and torch.equal(one, other)
