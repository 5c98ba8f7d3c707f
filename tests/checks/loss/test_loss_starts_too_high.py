import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_starts_too_high import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

SITE = Site(file="train.py", line=20)


def card(low: float, high: float, mean: float = 0.0, std: float = 1.0, shape: tuple[int, ...] = (50, 10)) -> TensorCard:
    return TensorCard(shape=shape, dtype="float32", low=low, high=high, mean=mean, std=std)


LOSS = LossSite(
    function="cross_entropy",
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


def test_tells_the_first_loss_and_that_of_a_guess() -> None:
    (evidence,) = found(first_value=40.0)

    assert "the first losses are 40" in evidence.saw
    assert "about 2.3, that of a guess among 10 classes" in evidence.wanted


def test_other_losses_have_no_guess() -> None:
    assert found(first_value=40.0, function="mse_loss") == []
    assert found(first_value=None) == []
    assert found(first_value=40.0, prediction=card(0, 1, shape=(50,))) == []


@pytest.mark.parametrize(("ratio", "times"), [(2.4, 0), (2.6, 1), (math.nan, 0)])
def test_each_side_of_ratio(ratio: float, times: int) -> None:
    assert len(found(first_value=ratio * math.log(10))) == times
