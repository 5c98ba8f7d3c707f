import math
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.noise import noise, scale
from firstlight.records.declared import NoiseScale


@pytest.mark.parametrize(("signal", "spread"), [(1.0, 1.0), (0.2, 1.0), (1.0, 0.1)])
def test_the_scale_of_known_gradients(signal: float, spread: float) -> None:
    """Vectors with a mean of length `signal` and a variance of `spread` squared, summed over all coordinates."""
    generator = torch.Generator().manual_seed(0)
    size, count = 400, 2000
    gradients = torch.full((size,), signal / size**0.5) + spread / size**0.5 * torch.randn(
        count, size, generator=generator
    )
    found = scale(float(gradients.mean(0).square().sum()), float(gradients.square().sum(1).mean()), count)

    assert found == pytest.approx((spread / signal) ** 2, rel=0.1)


def test_no_signal_is_noise_without_end() -> None:
    assert scale(0.01, 1.0, 64) == math.inf
    assert scale(1.0, 1.0, 64) == 0.0


def told(batch_size: int, rows: int = 800) -> NoiseScale | None:
    found: list[Any] = []
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(rows, 10, generator=generator)
    y = x @ torch.ones(10, 1) + 2 * torch.randn(rows, 1, generator=generator)
    experiment = Experiment(
        model=lambda: nn.Linear(10, 1),
        train=DataLoader(TensorDataset(x, y), batch_size=batch_size, shuffle=True),
        loss=F.mse_loss,
        optimizer=lambda m: torch.optim.SGD(m.parameters(), lr=1e-4),
    )
    noise(Bench(experiment, found.append))
    return found[0] if found else None


def test_the_scale_is_of_the_data_and_not_of_the_batch() -> None:
    few, many = told(4), told(16)

    assert few is not None is not many
    assert few.first == pytest.approx(many.first, rel=0.6)


def test_too_few_batches_are_not_asked() -> None:
    assert told(64) is None
