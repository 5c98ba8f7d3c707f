"""Is the answer a piece of the input sequence, and if so, which: the next place, the same, an earlier one?"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from firstlight.observe.inside import reading

LEAST_LENGTH = 8
LEAST_ROWS = 4
LEAST_DISTINCT = 8
"""Values; sequences of fewer repeat themselves by nature."""
MOST_ALIKE = 0.5
"""Share of the most frequent value."""
SAME = 0.95
"""Share of places at which target and input are equal."""
OTHERWISE = 0.9
"""Share beyond which a neighbouring offset fits as well: the sequence repeats itself, and nothing can be told."""
NEAR = 4
"""Steps; a target so near to its place is a shifted sequence, one further off a window."""
IGNORED = -100
KINDS = 16
"""Values that are told apart where neighbours are held against each other: the most frequent ones, or ranges."""
MOST_RANKED = 1 << 20
SHUFFLES = 19
"""Orders of the same values, all of which say less of their neighbours: one time in twenty by chance."""


@dataclass(frozen=True)
class AnswerSeries:
    """One feature of the inputs and the target, both one row an example."""

    given: torch.Tensor
    target: torch.Tensor
    feature: int

    def share(self, offset: int) -> float:
        """Of the places of the target that lie in the input, when it is laid over it so much later."""
        length, places = self.given.shape[1], self.target.shape[1]
        first, last = max(0, -offset), min(places, length - offset)
        if last <= first:
            return 0.0
        wanted = self.target[:, first:last]
        counts = wanted != IGNORED if not wanted.is_floating_point() else torch.ones_like(wanted, dtype=torch.bool)
        equal = (wanted == self.given[:, first + offset : last + offset]) & counts
        return float(equal.sum()) / max(1, int(counts.sum()))

    def offset(self) -> int | None:
        """The one that fits, where no neighbour does.

        Where values are drawn independently of each other there is no next one to foretell, and a model that gives an
        earlier one is meant to remember it.
        """
        places = range(-min(NEAR, self.target.shape[1] - 1), self.given.shape[1])
        found = [offset for offset in places if self.share(offset) >= SAME]
        if len(found) != 1 or any(self.share(found[0] + by) > OTHERWISE for by in (-1, 1)):
            return None
        return found[0] if found[0] >= 0 or self.goes_on() else None

    def goes_on(self) -> bool:
        """What stands at a place says something of what stands at the next."""
        kinds = _kinds(self.given)
        told = _told_of_next(kinds)
        generator = torch.Generator().manual_seed(0)
        for _ in range(SHUFFLES):
            order = torch.randperm(kinds.numel(), generator=generator, device="cpu")
            if _told_of_next(kinds.reshape(-1)[order].reshape(kinds.shape)) >= told:
                return False
        return True

    @property
    def aligned(self) -> bool:
        """A target for each place of the input, else a window of its own."""
        return abs(self.given.shape[1] - self.target.shape[1]) <= 2  # a first and a last place


def series_of(inputs: list[torch.Tensor], target: torch.Tensor, rows: int) -> Iterator[AnswerSeries]:
    if rows < LEAST_ROWS or target.numel() % rows or not reading.readable(target):
        return
    for given in inputs:
        if given.ndim not in (2, 3) or len(given) != rows or given.shape[1] < LEAST_LENGTH:
            continue
        if given.is_floating_point() != target.is_floating_point() or not (_varied(given) and _varied(target)):
            continue
        wide = target.ndim == 3 and target.shape[-1] > 1
        flat = target.reshape(rows, -1, target.shape[-1])[..., 0] if wide else target.reshape(rows, -1)
        if given.ndim == 2 and given.is_floating_point() and flat.shape[1] == 1:
            continue  # a table, whose columns are compared with the target one by one
        features = given[..., None] if given.ndim == 2 else given
        for feature in range(features.shape[-1]):
            yield AnswerSeries(features[..., feature].detach().cpu(), flat.detach().cpu(), feature)


def _kinds(given: torch.Tensor) -> torch.Tensor:
    """Values as a few classes, whatever they are."""
    if given.is_floating_point():
        borders = torch.linspace(0, 1, KINDS + 1, dtype=torch.double)[1:-1]
        values = given.double().contiguous()
        ranges: torch.Tensor = torch.bucketize(values, values.reshape(-1)[:MOST_RANKED].quantile(borders))
        return ranges
    _, places, counts = given.unique(return_inverse=True, return_counts=True)
    rank = counts.argsort(descending=True).argsort()
    kinds: torch.Tensor = rank[places].clamp(max=KINDS - 1)
    return kinds


def _told_of_next(kinds: torch.Tensor) -> float:
    """Mutual information of neighbours, in nats."""
    pairs = kinds[:, :-1] * KINDS + kinds[:, 1:]
    shares = torch.bincount(pairs.reshape(-1), minlength=KINDS**2).double().reshape(KINDS, KINDS) / pairs.numel()
    alone = shares.sum(1, keepdim=True) * shares.sum(0, keepdim=True)
    seen = shares > 0
    return float((shares[seen] * (shares[seen] / alone[seen]).log()).sum())


def _varied(values: torch.Tensor) -> bool:
    """Many different values, none of them everywhere: two such sequences are not equal by chance."""
    counts = values[values != IGNORED].unique(return_counts=True)[1]
    return len(counts) >= LEAST_DISTINCT and float(counts.max()) <= MOST_ALIKE * float(counts.sum())
