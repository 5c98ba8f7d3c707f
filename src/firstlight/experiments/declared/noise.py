"""How much the gradients of batches agree: the noise scale, in examples, before training and some steps in.

After McCandlish et al., "An Empirical Model of Large-Batch Training": the variance of one example's gradient over the
square of the mean gradient. A batch of that many examples is half signal and half noise.
"""

import itertools
import time

import torch

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.fitting import fit
from firstlight.experiments.declared.stumbling import line_of
from firstlight.observe.inside import reading
from firstlight.records.declared import NoiseScale

BATCHES = 32
LEAST = 16
"""Fewer batches, or fewer different ones, tell nothing."""
STEPS = 20
SECONDS = 4.0
"""For each look, so that a slow model still gives an answer."""


def noise(bench: Bench) -> None:
    different = len(bench.batches(LEAST))
    size = bench.batch().examples
    if different < LEAST or size is None:
        return
    model = bench.model()
    optimizer = bench.optimizer(model)
    first, batches = _looked(bench, model, size)
    bench.seed()
    losses = fit(bench, (model, optimizer), itertools.islice(bench.forever(), STEPS), SECONDS)
    later, others = _looked(bench, model, size)
    bench.emit(
        NoiseScale(
            batch=size,
            batches=min(batches, others),
            steps=len(losses),
            first=first,
            later=later,
            site=line_of(bench.experiment.optimizer),
        )
    )


def _looked(bench: Bench, model: torch.nn.Module, size: int) -> tuple[float | None, int]:
    """The scale at the weights as they are, infinite where no mean is left beside the noise; and over how many."""
    weights = [p for p in model.parameters() if p.requires_grad]
    total = [torch.zeros_like(p) for p in weights]
    squares: list[float] = []
    deadline = time.monotonic() + SECONDS
    for batch in itertools.islice(bench.forever(), BATCHES):
        model.zero_grad()
        bench.loss(model, batch).backward()
        found = [p.grad.to_dense() if p.grad is not None else torch.zeros_like(p) for p in weights]
        torch._foreach_add_(total, found)
        squares.append(reading.length(reading.norms(found)) ** 2)
        if time.monotonic() > deadline:
            break
    count = len(squares)
    mean = (reading.length(reading.norms(total)) / count) ** 2
    if count < LEAST or not sum(squares):
        return None, count
    return scale(mean, sum(squares) / count, count) * size, count


def scale(mean_squared: float, mean_of_squares: float, count: int) -> float:
    """In batches: their variance over the square of the true mean, both without bias."""
    variance = max(0.0, (mean_of_squares - mean_squared) * count / (count - 1))
    signal = mean_squared - variance / count
    return variance / signal if signal > 0 else float("inf")
