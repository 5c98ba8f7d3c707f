"""Would the examples of a dataset fit its answers if these lay further and further away?

Where rows are left out of one of two lists and the other one is only cut to the same length, each gap moves all that
follows, so that no single offset fits. The offset of each row is looked for together with what foretells the answers:
a plain fit, asked about rows that it was not given, says which answer a row should have, the way through the answers
that fits this best may skip some but never goes back, and the next fit is given the answers along that way. So much
freedom finds something in any answers, and is given the same answers from elsewhere, to see how much.
"""

from typing import Any, NamedTuple

import torch

from firstlight.observe.inside.relations.guessing import LEAST_EXAMPLES, kernels
from firstlight.observe.inside.relations.in_order import BatchPlaces, tensors_of, undivided
from firstlight.observe.inside.relations.neighbours import scaled
from firstlight.observe.inside.relations.sample import Sample, features_of, parts_of
from firstlight.observe.inside.relations.skill import coded
from firstlight.records.relations import Drift

ROWS = 768
FARTHEST = 128
"""Rows by which the answers may have moved at the end."""
STRETCH = 4
"""Rows in a row that have one offset."""
MOST_SKIPPED = 8
"""From one stretch to the next."""
STAYS, AGAIN = 0.8, 0.5
"""How likely the offset stays from one stretch to the next, and of rows skipped, that one more is."""
FOLDS = 8
RIDGE = 1.0
SINGLE = (1, 2, 3, 4, 8, 12, 16)
"""Offsets that are tried for all rows: by one of these, a series is asked for its own past."""
ROUNDS = 8
WORTH = 0.4
"""Agreement along the way, below which nobody asks how much of it is chance."""
ELSEWHERE = (0.3, 0.5, 0.7)
"""Of all rows, by which answers are moved that cannot fit."""


class Skipped(NamedTuple):
    fit: float
    """Agreement of the answers with what other rows foretell, where they are, and below, along the way."""
    along: float
    offsets: torch.Tensor
    """Of each stretch."""


def drifting(loader: Any, places: BatchPlaces) -> Drift:
    dataset = undivided(loader.dataset)
    if isinstance(dataset, torch.utils.data.IterableDataset) or not hasattr(dataset, "__len__"):
        return Drift()
    rows = min(len(dataset), ROWS + FARTHEST)
    sample = Sample()
    for step, part in enumerate(torch.arange(rows).split(loader.batch_size or 1)):
        tensors = tensors_of(loader.collate_fn([dataset[row] for row in part.tolist()]))
        sample.add([tensors[places.given]], tensors[places.answer], step)
    return drift_of(sample.inputs()[0], sample.answer()) if sample.kept == rows else Drift()


def drift_of(inputs: torch.Tensor, answer: torch.Tensor) -> Drift:
    parts = parts_of(answer)
    rows = (len(answer) - FARTHEST) // STRETCH * STRETCH
    if rows < LEAST_EXAMPLES or len(parts) != 1 or not bool(torch.isfinite(inputs).all()):
        return Drift()
    code = coded(parts[0].values[:, None], "classes" if parts[0].classes else "values")
    code = (code - code.mean(0)) / code.std()
    fits = Fits(features_of(inputs[:rows]))
    best, side = max(((_way(fits, code, side), side) for side in (1, -1)), key=lambda one: one[0].along)
    single, chance = 0.0, 1.0
    if best.along >= WORTH and best.along > best.fit:
        dealt = (code.roll(int(share * len(code)), 0) for share in ELSEWHERE)
        chance = max(_way(fits, one, side).along for one in dealt)
        single = max(fits.agreement(_moved(code, torch.tensor(by * side), rows)) for by in SINGLE)
    grown = best.offsets.diff().ne(0).nonzero().flatten()
    return Drift(
        examples=rows,
        fit=max(best.fit, single),
        along=best.along,
        chance=chance,
        offset=side * int(best.offsets[-1]),
        gaps=len(grown),
        halfway=side * int(best.offsets[len(best.offsets) // 2]),
    )


class Fits:
    """What answers foretell of one another, in stretches of their order: neighbours may be of one recording."""

    def __init__(self, table: torch.Tensor) -> None:
        self.rows = len(table)
        every = [kernel / kernel.diagonal().mean() for kernel in kernels(scaled(table).double())]
        kernel = torch.stack(every).mean(0)
        folds = torch.arange(self.rows) * FOLDS // self.rows
        self._folds = []
        for fold in range(FOLDS):
            out, rest = folds == fold, folds != fold
            own = kernel[rest][:, rest] + RIDGE * torch.eye(int(rest.sum()), dtype=kernel.dtype)
            self._folds.append((out, rest, torch.linalg.solve(own, kernel[rest][:, out]).t()))

    def agreement(self, code: torch.Tensor) -> float:
        return _agreement(self.foretold(code), code)

    def foretold(self, code: torch.Tensor) -> torch.Tensor:
        found = torch.zeros_like(code)
        for out, rest, weights in self._folds:
            mean = code[rest].mean(0)
            found[out] = weights @ (code[rest] - mean) + mean
        return found


def _way(fits: Fits, code: torch.Tensor, side: int) -> Skipped:
    places = torch.arange(fits.rows)
    offsets = torch.zeros(fits.rows // STRETCH, dtype=torch.long)
    reach = (places[:, None] + side * torch.arange(FARTHEST + 1)).clamp_min(0)
    found: list[float] = []
    for _ in range(ROUNDS):
        given = _moved(code, side * offsets.repeat_interleave(STRETCH), fits.rows)
        guess = fits.foretold(given)
        found.append(_agreement(guess, given))
        left = (guess - given).square().sum(1).mean().clamp_min(1e-3)
        misses = (guess[:, None] - code[reach]).square().sum(-1) / (2 * left)
        before, offsets = offsets, _skipping(-misses.reshape(-1, STRETCH, FARTHEST + 1).sum(1))
        if torch.equal(before, offsets):
            break
    return Skipped(found[0], found[-1], before)


def _moved(code: torch.Tensor, by: torch.Tensor, rows: int) -> torch.Tensor:
    return code[(torch.arange(rows) + by).clamp_min(0)]


def _skipping(score: torch.Tensor) -> torch.Tensor:
    """The offset of each stretch that adds up to the highest score, where it only grows."""
    skips = torch.arange(MOST_SKIPPED, -1, -1)
    price = torch.where(skips > 0, (1 - STAYS) * AGAIN ** skips.double(), STAYS).log()
    nothing = torch.full((MOST_SKIPPED,), -torch.inf, dtype=score.dtype)
    best = torch.cat([torch.zeros(1, dtype=score.dtype), torch.full((score.shape[1] - 1,), -torch.inf)])
    chosen = []
    for row in score:
        ahead, skipped = (torch.cat([nothing, best]).unfold(0, MOST_SKIPPED + 1, 1) + price).max(1)
        best = ahead + row
        chosen.append(skips[skipped].tolist())
    place, found = int(best.argmax()), []
    for taken in reversed(chosen):
        found.append(place)
        place -= taken[place]
    return torch.tensor(found[::-1])


def _agreement(guess: torch.Tensor, code: torch.Tensor) -> float:
    size = float(guess.norm() * code.norm())
    return float((guess * code).sum()) / size if size > 0 else 0.0
