from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.loss_summed import CHECK
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


def test_tells_over_how_many_it_sums() -> None:
    (evidence,) = found(reduction="sum")

    assert evidence.saw == "`mse_loss` sums over 50 examples"


def test_a_mean_is_fine() -> None:
    assert found() == []


@pytest.mark.parametrize(("rows", "times"), [(7, 0), (8, 1)])
def test_each_side_of_rows(rows: int, times: int) -> None:
    assert len(found(reduction="sum", prediction=card(-1, 1, shape=(rows, 1)))) == times
