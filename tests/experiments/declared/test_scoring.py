from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.scoring import scoring
from firstlight.experiments.declared.stumbling import Stumbled
from firstlight.records.declared import MetricTried

INPUTS = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))


def told(metric: Callable[..., Any], loss: Callable[..., Any], outputs: int, target: torch.Tensor) -> MetricTried:
    found: list[Any] = []
    experiment = Experiment(model=lambda: nn.Linear(4, outputs), batch=(INPUTS, target), loss=loss, metric=metric)
    scoring(Bench(experiment, found.append))
    tried: MetricTried = found[0]
    return tried


def test_the_accuracy_of_ideal_and_contrary_classes() -> None:
    tried = told(lambda o, t: (o.argmax(1) == t).float().mean(), F.cross_entropy, 3, INPUTS[:, :3].argmax(1))

    assert (tried.ideal, tried.contrary) == (1.0, 0.0)
    assert 0.1 < tried.permuted < 0.6


def test_an_error_is_least_where_the_answer_is_ideal() -> None:
    tried = told(lambda o, t: (o - t).abs().mean().item(), F.mse_loss, 1, INPUTS.sum(1, keepdim=True))

    assert tried.ideal == 0 < tried.permuted < tried.contrary


@pytest.mark.parametrize("metric", [lambda o, t: o, lambda o, t: "good", lambda o, t: 1 / 0])
def test_a_metric_that_gives_no_number_or_raises_is_told(metric: Callable[..., Any]) -> None:
    with pytest.raises(Stumbled) as raised:
        told(metric, F.mse_loss, 1, INPUTS.sum(1, keepdim=True))

    assert raised.value.fact.piece == "metric"
