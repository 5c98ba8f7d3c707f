from typing import Any

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

from firstlight.experiments.declared.baselines import Known, baselines, classified, valued
from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment

GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(400, 5, generator=GENERATOR, dtype=torch.float64)


def errors(found: list[tuple[str, torch.Tensor]]) -> dict[str, float]:
    return {name: float(each.mean()) for name, each in found}


def test_a_line_finds_classes_that_a_line_divides() -> None:
    target = (X[:, 0] > 0.5).double() + (X[:, 0] > 1.2).double()
    found = errors(classified(Known(X[:300], target[:300]), Known(X[300:], target[300:])))

    assert found["linear model"] < 0.2 < found["majority class"]


def test_a_line_finds_a_line() -> None:
    target = X @ torch.tensor([1.0, -2.0, 0.0, 0.5, 3.0], dtype=torch.float64) + 7
    found = errors(valued(Known(X[:300], target[:300]), Known(X[300:], target[300:])))

    assert found["linear model"] < 1e-4
    assert found["mean"] > 5
    assert "last value" not in found


def test_the_last_value_of_a_series_is_an_answer() -> None:
    walk = torch.randn(405, generator=GENERATOR, dtype=torch.float64).cumsum(0).unfold(0, 6, 1)
    found = errors(valued(Known(walk[:300, :5], walk[:300, 5]), Known(walk[300:, :5], walk[300:, 5])))

    assert found["last value"] < 2 < found["mean"]


def test_constant_columns_and_more_columns_than_rows_are_no_trouble() -> None:
    wide = torch.cat([X[:20], torch.ones(20, 40)], 1).double()
    found = errors(valued(Known(wide, X[:20, 0]), Known(wide, X[:20, 0])))

    assert found["linear model"] < found["mean"]


def test_an_experiment_is_scored_on_its_validation_examples() -> None:
    x, y = X.float(), (X[:, 0] + X[:, 1] > 0).long()
    told: list[Any] = []
    experiment = Experiment(
        model=lambda: nn.Linear(5, 2),
        train=DataLoader(TensorDataset(x[:300], y[:300]), batch_size=50, shuffle=True),
        val=DataLoader(TensorDataset(x[300:], y[300:]), batch_size=50),
        loss=F.cross_entropy,
        optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=0.03),
    )
    baselines(Bench(experiment, told.append))

    (seen,) = told
    assert (seen.trained, seen.scored) == (300, 100)
    assert seen.model_error < 0.2
    assert {score.name for score in seen.scores} == {"majority class", "linear model"}


def test_ids_are_scored_beside_the_majority_alone() -> None:
    ids = torch.randint(0, 50, (400, 6), generator=GENERATOR)
    y = (ids[:, 0] > 25).long()
    told: list[Any] = []
    experiment = Experiment(
        model=lambda: nn.Sequential(nn.Embedding(50, 4), nn.Flatten(), nn.Linear(24, 2)),
        train=DataLoader(TensorDataset(ids[:300], y[:300]), batch_size=50, shuffle=True),
        val=DataLoader(TensorDataset(ids[300:], y[300:]), batch_size=50),
        loss=F.cross_entropy,
        optimizer=lambda model: torch.optim.Adam(model.parameters(), lr=0.03),
    )
    baselines(Bench(experiment, told.append))

    (seen,) = told
    assert [score.name for score in seen.scores] == ["majority class"]
    assert seen.model_error < seen.scores[0].error
