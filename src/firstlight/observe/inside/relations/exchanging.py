"""Do two numbers of an answer change places where its image is mirrored? A left eye becomes a right one.

A plain fit to the examples that are given as they are kept foretells the answers of those that are given mirrored. What
it says of one number may be what the answer says of another, and the other way round: then both should have been
exchanged together with the image. A fit that merely does not know mirrored images is as far from either.
"""

import torch

from firstlight.observe.inside.relations.guessing import RIDGES
from firstlight.observe.inside.relations.neighbours import distances, scaled
from firstlight.records.stored import NumbersExchanged

LEAST_OF_A_KIND = 24
"""Examples that are mirrored, and that are not."""
MOST_NUMBERS = 64
LEAST_GAIN = 0.5
"""Of what two numbers are off as they are, by which they are less off when exchanged."""


def exchanged(given: torch.Tensor, mirrored: torch.Tensor, answer: torch.Tensor) -> NumbersExchanged:
    """`given` is a row of numbers for each example, and `mirrored` says which are."""
    if min(int(mirrored.sum()), int((~mirrored).sum())) < LEAST_OF_A_KIND or not 2 <= answer.shape[1] <= MOST_NUMBERS:
        return NumbersExchanged()
    spread = answer[~mirrored].std(0)
    if not bool((spread > 0).all()):
        return NumbersExchanged()
    unit = answer / spread.mean()  # numbers that could change places have one unit
    foretold = _foretold(scaled(given).double(), ~mirrored, unit)
    off = (foretold[:, :, None] - unit[mirrored][:, None]).pow(2).mean(0)  # foretold number, number of the answer
    pairs = _pairs(off)
    if not pairs:
        return NumbersExchanged()
    one, other = torch.tensor(pairs).t()
    return NumbersExchanged(
        pairs=tuple(pairs),
        examples=int(mirrored.sum()),
        as_they_are=float((off[one, one] + off[other, other]).mean() / 2),
        exchanged=float((off[one, other] + off[other, one]).mean() / 2),
    )


def _pairs(off: torch.Tensor) -> list[tuple[int, int]]:
    """Those that gain most first; each number is in one pair at the most."""
    own = off.diagonal()[:, None] + off.diagonal()[None]
    gain = torch.triu(own - off - off.t(), 1)
    found: list[tuple[int, int]] = []
    for place in gain.flatten().argsort(descending=True).tolist():
        one, other = divmod(place, len(off))
        if not gain[one, other] > LEAST_GAIN * own[one, other]:
            continue
        if not any(number in pair for pair in found for number in (one, other)):
            found.append((one, other))
    return sorted(found)


def _foretold(table: torch.Tensor, known: torch.Tensor, answer: torch.Tensor) -> torch.Tensor:
    """The answers of the others, by the ridge that does best on those that are known, each left out in turn."""
    here, there = table[known], table[~known]
    squares = distances(here).clamp_min(0).fill_diagonal_(0)
    width = squares.median().clamp_min(1e-12)
    mean = answer[known].mean(0)
    sizes, vectors = torch.linalg.eigh(torch.exp(-squares / width))
    best, found = torch.inf, mean.expand(len(there), -1)
    for ridge in RIDGES:
        shrunk = 1 / (sizes.clamp_min(0) + ridge)
        weights = vectors @ (shrunk[:, None] * (vectors.t() @ (answer[known] - mean)))
        left = float((weights / (vectors**2 @ shrunk)[:, None]).pow(2).mean())
        if left < best:
            best, found = left, torch.exp(-torch.cdist(there, here).pow(2) / width) @ weights + mean
    return found
