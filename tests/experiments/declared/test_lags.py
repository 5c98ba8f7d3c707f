from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from firstlight.experiments.declared.bench import Bench
from firstlight.experiments.declared.experiment import Experiment
from firstlight.experiments.declared.lags import lags
from firstlight.records.declared import LagSeen

GENERATOR = torch.Generator().manual_seed(0)
TEXT = torch.randint(0, 4, (8, 40), generator=GENERATOR).cumsum(1) % 50
WAVE = torch.randn(8, 40, generator=GENERATOR)


class Reader(nn.Module):
    """Sees what comes before, or, in both directions, everything."""

    def __init__(self, both: bool = False) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 8)
        self.memory = nn.GRU(8, 8, batch_first=True, bidirectional=both)
        self.out = nn.Linear(16 if both else 8, 50)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.out(self.memory(self.words(ids))[0])
        return made


class Forecast(nn.Module):
    def __init__(self, width: int = 1, ahead: int = 4) -> None:
        super().__init__()
        self.out = nn.Linear(20 * width, ahead)

    def forward(self, past: torch.Tensor) -> torch.Tensor:
        made: torch.Tensor = self.out(past.flatten(1))
        return made


def bag() -> nn.Module:
    return nn.Sequential(nn.Embedding(50, 2), nn.Flatten(), nn.Linear(80, 9))


def over_words(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(scores.flatten(0, 1), target.flatten())


def seen(model: Any, batch: tuple[torch.Tensor, ...], loss: Any) -> LagSeen | None:
    told: list[Any] = []
    lags(Bench(Experiment(model=model, batch=batch, loss=loss), told.append))
    return told[0] if told else None


@pytest.mark.parametrize("offset", [-2, -1, 0, 1, 2])
def test_the_offset_of_a_shifted_text_is_found(offset: int) -> None:
    found = seen(Reader, (TEXT[:, 4:34], TEXT[:, 4 + offset : 34 + offset]), over_words)

    assert found is not None
    assert (found.offset, found.aligned, found.whole_numbers) == (offset, True, True)


@pytest.mark.parametrize("both", [False, True])
def test_whether_the_model_sees_everything_is_asked_where_it_matters(both: bool) -> None:
    found = seen(lambda: Reader(both), (TEXT, TEXT), over_words)

    assert found is not None
    assert found.causal is not both


@pytest.mark.parametrize("begins", [16, 19])
def test_a_window_that_overlaps_the_input_is_found(begins: int) -> None:
    found = seen(Forecast, (WAVE[:, :20, None], WAVE[:, begins : begins + 4]), F.mse_loss)

    assert found is not None
    assert (found.offset, found.aligned, found.places) == (begins, False, 4)


def test_the_one_feature_of_several_is_named() -> None:
    given = torch.stack([torch.randn(8, 20), WAVE[:, :20]], dim=2)
    found = seen(lambda: Forecast(2, 1), (given, WAVE[:, 19:20]), F.mse_loss)

    assert found is not None
    assert (found.feature, found.offset) == (1, 19)


def test_a_forecast_of_what_comes_after_is_none() -> None:
    found = seen(Forecast, (WAVE[:, :20, None], WAVE[:, 20:24]), F.mse_loss)

    assert found is not None
    assert found.offset is None


def test_a_text_that_repeats_itself_tells_nothing() -> None:
    echo = torch.arange(40).remainder(10).expand(8, 40)
    found = seen(Reader, (echo, echo), over_words)

    assert found is not None
    assert found.offset is None


def test_classes_are_not_mistaken_for_padding() -> None:
    """Nearly all labels are 0, and so is nearly every id."""
    ids = torch.zeros(8, 40, dtype=torch.long)
    ids[:, :10] = torch.arange(10)

    assert seen(bag, (ids, ids[:, 39]), F.cross_entropy) is None


def test_tables_and_classes_are_not_asked() -> None:
    assert seen(lambda: nn.Linear(20, 1), (WAVE[:, :20], WAVE[:, :1]), F.mse_loss) is None
    assert seen(lambda: nn.Linear(20, 3), (WAVE[:, :20], torch.arange(8) % 3), F.cross_entropy) is None
