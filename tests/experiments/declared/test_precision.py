from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.precision import precision
from firstlight.records.declared import PrecisionTried

X = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))


def tried(model: Any, name: Any = "bf16", scale: float = 1.0) -> PrecisionTried:
    told: list[Any] = []
    batch = (scale * X, X[:, :1])
    precision(Bench(Experiment(model=model, batch=batch, loss=F.mse_loss, precision=name), told.append))
    found: PrecisionTried = told[0]
    return found


def usual() -> nn.Module:
    return nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 1))


@pytest.mark.parametrize("name", ["bf16", "fp16"])
def test_a_usual_model_hardly_differs(name: str) -> None:
    found = tried(usual, name)

    assert abs(found.full_loss - found.low_loss) < 0.02 * found.full_loss
    assert (found.cosine or 0) > 0.99
    assert (found.nonfinite, found.vanished < 0.05, found.headroom < 0.01) == (0, True, True)


def test_what_overflows_is_seen_with_its_layer() -> None:
    found = tried(usual, "fp16", scale=1e5)

    assert found.nonfinite or found.headroom > 0.25
    assert found.full_loss == found.full_loss
