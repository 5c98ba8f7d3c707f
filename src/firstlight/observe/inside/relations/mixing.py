"""Is what the model is given for an example a mixture with another one of its batch?"""

from collections.abc import Sequence

import torch

from firstlight.observe.inside import reading, rows
from firstlight.observe.inside.relations.in_order import same_values
from firstlight.records.relations import Mixed

MOST_STEPS = 8
MOST_ROWS = 64
LEAST_ROWS = 6
LEAST_WIDTH = 3
"""Of fewer values any two examples make any third."""
LEFT = 1e-5
"""Of an example's square, at most, that the mixture leaves unexplained."""
LITTLE = 0.05
"""Weight of another example that is rounding, or chance."""


class InputsMixed:
    """Adds up over steps how many examples are mixtures of two, where their answers are those of the first."""

    def __init__(self) -> None:
        self.steps = self.examples = 0
        self.weights: list[float] = []

    def add(self, given: torch.Tensor, answer: torch.Tensor, batch: Sequence[torch.Tensor]) -> None:
        """`batch` is what a loader gave last."""
        if self.steps >= MOST_STEPS or not any(same_values(tensor, answer) for tensor in batch):
            return
        sources = [t for t in batch if t.is_floating_point() and t.shape == given.shape and reading.readable(t)]
        if not sources or len(given) < LEAST_ROWS or given[0].numel() < LEAST_WIDTH or not reading.readable(given):
            return
        self.steps += 1
        found = _weights(_flat(given), _flat(sources[0]))
        self.examples += len(found)
        self.weights += [weight for weight in found.tolist() if weight > LITTLE]

    def seen(self) -> Mixed:
        weight = float(torch.tensor(self.weights).median()) if self.weights else 0.0
        return Mixed(examples=self.examples, mixed=len(self.weights), weight=weight)


def _flat(tensor: torch.Tensor) -> torch.Tensor:
    """Around the mean of the batch, so that what is added to all examples alike does not count."""
    table = rows.evenly(tensor.detach()[:MOST_ROWS].reshape(min(len(tensor), MOST_ROWS), -1), rows.MOST_WIDTH)
    table = table.to("cpu", torch.float64)
    return table - table.mean(0)


def _weights(given: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
    """For each example, the share of the other that makes it up with its own; 0 where none does, or it needs none."""
    square = (given**2).sum(1)
    own, other = (source**2).sum(1)[:, None], (source**2).sum(1)[None]
    both, to_own, to_other = source @ source.t(), (given * source).sum(1)[:, None], given @ source.t()
    size = (own * other - both**2).clamp_min(torch.finfo(torch.float64).tiny)
    first = (to_own * other - to_other * both) / size
    second = (to_other * own - to_own * both) / size
    left = square[:, None] - first * to_own - second * to_other
    left.fill_diagonal_(torch.inf)
    least, partner = left.min(1)
    alone = square - to_own[:, 0] ** 2 / own[:, 0].clamp_min(torch.finfo(torch.float64).tiny)
    chosen = torch.arange(len(given)), partner
    share = second[chosen] / (first[chosen] + second[chosen])
    mixed = (least <= LEFT * square) & (alone > LEFT * square)
    return torch.where(mixed & torch.isfinite(share), share, torch.zeros_like(share))
