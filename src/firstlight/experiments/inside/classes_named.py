"""By which numbers classes are called where they meet predictions, beside those their loader gave them.

Where no loader tells, their shares do: classes that are counted from one on one side only have the shares of their
neighbours on the other.
"""

from collections import Counter
from collections.abc import Sequence

import torch

from firstlight.observe.inside import reading
from firstlight.observe.inside.ids import moved

MOST_CLASSES = 256
MOST_VALUES = 100_000
PER_CLASS = 2
"""Examples of a class in the mean; where there are fewer, the numbers are ids, and anything follows from them."""
Names = dict[int, int]
"""By the number a class was loaded with, the one it has in the loss or in the score."""


class ClassNames:
    """What classes are called in one place, as long as that is the same in all batches."""

    def __init__(self) -> None:
        self._names: Names | None = {}
        self.counts: Counter[int] = Counter()

    @property
    def known(self) -> Names:
        return self._names or {}

    def add(self, met: torch.Tensor, batch: Sequence[torch.Tensor]) -> None:
        """`batch` is what a loader gave last."""
        if (
            not met.is_floating_point()
            and not met.is_complex()
            and met.numel() <= MOST_VALUES
            and reading.readable(met)
        ):
            self.counts.update(number for number in met.detach().reshape(-1).tolist() if number >= 0)
        found = next((names for loaded in batch if (names := _names(loaded, met)) is not None), None)
        if found is None or self._names is None:
            return
        alike = all(self._names.get(loaded, now) == now for loaded, now in found.items())
        self._names = self._names | found if alike else None


def classes_in(batch: object) -> list[torch.Tensor]:
    """The tensors of a batch that may be classes."""
    whole = [t for t in reading.tensors_in(batch) if t.ndim and 1 < t.numel() <= MOST_VALUES and reading.readable(t)]
    return [tensor for tensor in whole if not tensor.is_floating_point() and not tensor.is_complex()]


def renamed(trained: Names, scored: Names) -> list[tuple[int, int, int]]:
    """The classes that are called otherwise in the score than in training: as loaded, trained and scored.

    What training leaves out has a negative number.
    """
    both = sorted(trained.keys() & scored.keys())
    return [(c, trained[c], scored[c]) for c in both if trained[c] >= 0 and trained[c] != scored[c]]


def apart(trained: Counter[int], scored: Counter[int]) -> float:
    """Half of the sum by which the shares of classes differ."""
    whole, of = max(1, trained.total()), max(1, scored.total())
    return sum(abs(trained[n] / whole - scored[n] / of) for n in trained.keys() | scored.keys()) / 2


def nearest(trained: Counter[int], scored: Counter[int]) -> tuple[int, float]:
    """By how much the numbers of one side seem to have been raised in training, and what still differs if they were."""
    top = max([0, *trained, *scored])
    found = [
        (offset * way, apart(moved(one, offset, top, wraps), other))
        for one, other, way in ((scored, trained, 1), (trained, scored, -1))
        for offset in (1, -1)
        for wraps in (False, True)
    ]
    return min(found, key=lambda pair: pair[1])


def _names(loaded: torch.Tensor, met: torch.Tensor) -> Names | None:
    """None where one number of the loader's became several, or the two are not of the same examples."""
    if met.is_floating_point() or met.is_complex() or met.numel() != loaded.numel() or not reading.readable(met):
        return None
    before, after = loaded.detach().reshape(-1).cpu().long(), met.detach().reshape(-1).cpu().long()
    kinds = torch.unique(before)
    if len(kinds) > min(MOST_CLASSES, len(before) // PER_CLASS):
        return None
    pairs = torch.unique(torch.stack([before, after]), dim=1)
    return dict(zip(*pairs.tolist(), strict=True)) if pairs.shape[1] == len(kinds) else None
