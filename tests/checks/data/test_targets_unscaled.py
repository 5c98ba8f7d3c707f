from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.data.targets_unscaled import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

SITE = Site(file="train.py", line=20)


def card(low: float, high: float, mean: float = 0.0, std: float = 1.0, shape: tuple[int, ...] = (50, 10)) -> TensorCard:
    return TensorCard(shape=shape, dtype="float32", low=low, high=high, mean=mean, std=std)


LOSS = LossSite(
    function="mse_loss",
    site=SITE,
    calls=8,
    first_step=0,
    prediction=card(-1, 1),
    target=None,
    made_by=None,
    made_at=None,
    class_sum_error=None,
    class_logsum_error=None,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOSS, **changes), CHECK.limits))


PRICES = card(1e5, 5e5, mean=3e5, std=8e4, shape=(50, 1))


def test_tells_both_ranges() -> None:
    (evidence,) = found(target=PRICES)

    assert "targets from 1e+05 to 5e+05" in evidence.saw
    assert "predictions from -1 to 1" in evidence.saw


def test_other_losses_have_other_targets() -> None:
    assert found() == []
    assert found(target=PRICES, function="cross_entropy") == []


@pytest.mark.parametrize(("size", "times"), [(19.0, 0), (21.0, 1)])
def test_each_side_of_size(size: float, times: int) -> None:
    assert len(found(target=card(0, 9, mean=size, std=1.0))) == times
    assert len(found(target=card(0, 9, mean=0.0, std=size))) == times


@pytest.mark.parametrize(("high", "times"), [(9.0, 1), (11.0, 0)])
def test_each_side_of_reached(high: float, times: int) -> None:
    assert len(found(target=card(0, 9, mean=50.0), prediction=card(-1, high))) == times
