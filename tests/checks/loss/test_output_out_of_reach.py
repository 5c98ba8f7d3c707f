import math
from typing import Any

import pytest
from msgspec.structs import replace

from firstlight.checks.loss.output_out_of_reach import CHECK
from firstlight.records.facts import LossSite
from firstlight.records.finding import Evidence
from firstlight.records.places import Site
from firstlight.records.sighting import TensorCard

SITE = Site(file="train.py", line=20)


def card(low: float, high: float, mean: float = 0.0, std: float = 1.0) -> TensorCard:
    return TensorCard(shape=(50, 1), dtype="float32", low=low, high=high, mean=mean, std=std)


LOSS = LossSite(
    function="mse_loss",
    site=SITE,
    calls=8,
    first_step=0,
    prediction=card(0, 3),
    target=card(-3, 3),
    made_by="relu",
    made_at=Site(file="train.py", line=11),
    class_sum_error=None,
    class_logsum_error=None,
    target_sum_error=None,
    most_ignored=0.0,
    least_ignored=0.0,
)


def found(**changes: Any) -> list[Evidence]:
    return list(CHECK.find(replace(LOSS, **changes), CHECK.limits))


def test_tells_the_activation_where_it_stands_and_the_targets() -> None:
    (evidence,) = found()

    assert "is the output of relu (0 and above); the targets go from -3 to 3" in evidence.saw
    assert evidence.where.line == 11


@pytest.mark.parametrize(
    ("made_by", "target", "times"),
    [
        ("relu", card(0.0, 9.0, mean=2.0), 0),
        ("sigmoid", card(0.0, 1.0, mean=0.5, std=0.3), 0),
        ("sigmoid", card(2.0, 9.0, mean=5.0), 1),
        ("softmax", card(-2.0, 2.0), 1),
        ("tanh", card(-0.9, 0.9, std=0.4), 0),
        ("tanh", card(-40.0, 40.0, std=12.0), 1),
        (None, card(-3.0, 3.0), 0),
        ("log_softmax", card(-3.0, 3.0), 0),
    ],
)
def test_what_each_activation_reaches(made_by: str | None, target: TensorCard, times: int) -> None:
    assert len(found(made_by=made_by, target=target)) == times


def test_other_losses_have_other_targets() -> None:
    assert found(function="binary_cross_entropy") == []
    assert found(target=None) == []


def test_targets_that_are_not_numbers_are_not_judged() -> None:
    assert found(target=card(math.nan, math.nan, mean=math.nan, std=math.nan)) == []


@pytest.mark.parametrize(("mean", "times"), [(0.74, 1), (0.76, 0)])
def test_each_side_of_deviations(mean: float, times: int) -> None:
    assert len(found(target=card(-3.0, 4.0, mean=mean))) == times


@pytest.mark.parametrize(("low", "times"), [(-0.24, 0), (-0.26, 1)])
def test_each_side_of_excess(low: float, times: int) -> None:
    assert len(found(target=card(low, 4.0))) == times


@pytest.mark.parametrize(("calls", "times"), [(2, 0), (3, 1)])
def test_each_side_of_calls(calls: int, times: int) -> None:
    assert len(found(calls=calls)) == times
